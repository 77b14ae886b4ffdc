import KithJSON
import KithRPC
import Logging
import Synchronization
import Testing

@testable import KithWorker

@Suite struct LogLineTests {
  private func line(
    _ message: String, _ metadata: Logger.Metadata = [:], call: String = ""
  ) -> String {
    String(
      decoding: LogLine.bytes(
        millisecondsSince1970: 5, level: .info, call: call, message: message, metadata: metadata),
      as: UTF8.self)
  }

  @Test func isOneObject() {
    #expect(line("ready") == #"{"at_ms":5,"level":"info","text":"ready"}"# + "\n")
    #expect(
      line("ready", ["b": "1", "a": "two words"], call: "17")
        == #"{"at_ms":5,"level":"info","call":"17","text":"ready","fields":{"a":"two words","b":"1"}}"#
        + "\n")
  }

  @Test func isAlwaysOneHarmlessLine() throws {
    let text = "a\nb\r\u{1b}[31m\u{0}\u{9b}\u{2028}é😀\"\\"
    let line = line(text, ["k": "1\n2"])
    #expect(line.utf8.count { $0 == 0x0a } == 1)
    #expect(line.unicodeScalars.dropLast().allSatisfy { $0.value >= 0x20 && $0.value != 0x9b })
    let value = try JSONValue(parsing: line)
    #expect(value["text"]?.stringValue == text)
    #expect(value["fields"]?["k"]?.stringValue == "1\n2")
  }

  @Test func isCutAtItsLimitAndStaysWhole() throws {
    for filler in ["x", "é", "\n", "\u{1}", "😀"] {
      for length in stride(from: 400, to: 4_200, by: 61) {
        let long = String(repeating: filler, count: length)
        let line = line(long, ["a": "\(long)", "b": "1", "c": "\(long)"])
        #expect(line.utf8.count <= LogLine.longest)
        let value = try JSONValue(parsing: line)
        let text = try #require(value["text"]?.stringValue)
        #expect(text == long || text.hasSuffix("...") && long.hasPrefix(text.dropLast(3)))
        #expect(text.utf8.count > 400 || text == long)
      }
    }
  }

  @Test func personalDataIsReplacedBeforeTheLineIsCut() throws {
    let line = line(
      "cannot reach jo@example.org \(String(repeating: "x", count: 3_050)) 4111 1111 1111 1111",
      ["phone": "4155550182", "took_ns": "4155550182", "note": "SSN 123-45-6789\n12 Main Street"])
    let value = try JSONValue(parsing: line)
    #expect(value["text"]?.stringValue?.hasPrefix("cannot reach [REDACTED_EMAIL] xxx") == true)
    #expect(!line.contains("4111"))
    #expect(value["fields"]?["phone"]?.stringValue == "[REDACTED_PHONE]")
    #expect(value["fields"]?["took_ns"]?.stringValue == "4155550182")
    #expect(value["fields"]?["note"]?.stringValue == "SSN [REDACTED_SSN]\n[REDACTED_ADDRESS]")
  }

  @Test(arguments: [
    "listens at tls+tcp://0.0.0.0:7443, peer 192.168.1.20:51234",
    "generation 17 of pid 1234567 ended with exit code 137 after 4155550182 ns",
    "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "at_ms 1795226400123, position 4155550182",
    "kith-user 6f1c2f0a-0d5e-4b57-9a6b-411111111111 since 2026-11-21T21:40:07.123Z",
    "abstract:kith/1000/boomer-buddy/odd.1.sock at /run/user/1000/kith (12 files, 4194304 bytes)",
    "sqlite error 5 (database is locked) in 12.345 ms; wrote 2147483649 bytes at offset 4155550182",
    "Current stack thread 0x00007f03969ff6c0  c0 f6 9f 96 03 7f 00 00 90 48 92 91 ac 55 00 00",
    "version 10.0.19.22 of 2026-11-21",
    "8f953371d3e85eddb89b05ed6b9e680791055315c73e1025ab5dba7bb2aee189",
  ])
  func whatIsOursIsLeftAsItIs(text: String) throws {
    let value = try JSONValue(parsing: line(text, ["a": "\(text)"]))
    #expect(value["text"]?.stringValue == text)
    #expect(value["fields"]?["a"]?.stringValue == text)
  }

  @Test func theHandlerMergesMetadataAndHeedsTheLevel() {
    let lines = Lines()
    let threshold = LogThreshold(.warning)
    var logger = Logger(label: "test") { _ in
      StandardErrorLogHandler(threshold: threshold) { lines.add($0) }
    }
    logger[metadataKey: "a"] = "1"
    logger.info("unseen")
    logger.error("seen", metadata: ["b": "2", "a": "3"])
    #expect(lines.all.count == 1)
    #expect(
      lines.all.first?.hasSuffix(
        #""level":"error","text":"seen","fields":{"a":"3","b":"2"}}"# + "\n")
        == true)
    // A level that changes at run time holds for loggers that are there already, those with one of
    // their own apart.
    var own = logger
    own.logLevel = .critical
    threshold.level = .debug
    logger.debug("seen too")
    own.error("unseen")
    #expect(lines.all.count == 2)
    #expect(logger.logLevel == .debug && own.logLevel == .critical)
  }

  @Test func theHandlerNamesTheCall() {
    let lines = Lines()
    let logger = Logger(label: "test") { _ in
      StandardErrorLogHandler(threshold: LogThreshold()) { lines.add($0) }
    }
    let method = MethodDescriptor(service: "test.Echo", method: "Echo")
    let trace = "0af7651916cd43dd8448eb211c80319c"
    CallContext.$current.withValue(
      CallContext(method: method, traceparent: "00-\(trace)-b7ad6b7169203331-01")
    ) { logger.info("traced") }
    #expect(lines.all.last?.contains(#""call":"\#(trace)""#) == true)
    CallContext.$current.withValue(CallContext(method: method)) {
      logger.info("one")
      logger.info("two")
    }
    CallContext.$current.withValue(CallContext(method: method)) { logger.info("three") }
    let calls = lines.all.dropFirst().map { (try? JSONValue(parsing: $0))?["call"]?.stringValue }
    #expect(calls[0] == calls[1] && calls[1] != calls[2], "\(calls)")
    logger.info("outside")
    #expect(lines.all.last?.contains("call") == false)
  }

  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: [UInt8]) {
      lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
    }

    var all: [String] { lines.withLock { $0 } }
  }
}
