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
    // A level that changes at run time holds for loggers that are there already, those with one of their own apart.
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
