import Logging
import Synchronization
import Testing

@testable import KithWorker

@Suite struct LogLineTests {
  private func line(
    _ message: String, _ metadata: Logger.Metadata = [:], time: Int64 = 0,
    level: Logger.Level = .info
  ) -> String {
    String(
      decoding: LogLine.bytes(
        millisecondsSince1970: time, level: level, message: message, metadata: metadata),
      as: UTF8.self)
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"),
      (1_795_226_400_123, "2026-11-21T02:00:00.123Z"),
      (951_782_399_999, "2000-02-28T23:59:59.999Z"),
      (951_782_400_000, "2000-02-29T00:00:00.000Z"),
      (951_868_800_000, "2000-03-01T00:00:00.000Z"),
      (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
      (-1, "1969-12-31T23:59:59.999Z"),
      (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
      (1_735_689_599_000, "2024-12-31T23:59:59.000Z"),
    ] as [(Int64, String)])
  func writesTheTime(time: Int64, text: String) {
    #expect(line("x", time: time) == "\(text) info    x\n")
  }

  @Test func alignsTheLevels() {
    #expect(line("x", level: .critical).hasSuffix("critical x\n"))
    #expect(line("x", level: .warning).hasSuffix(" warning x\n"))
    #expect(line("x", level: .info).hasSuffix(" info    x\n"))
  }

  @Test func writesMetadataInOrderAndQuotedWhereNeeded() {
    #expect(
      line("ready", ["b": "1", "a": "two words", "c": "", "d": "x=\"y\""])
        .hasSuffix("ready a=\"two words\" b=1 c=\"\" d=\"x=\\\"y\\\"\"\n"))
  }

  @Test func isAlwaysOneHarmlessLine() {
    let text = line("a\nb\r\u{1b}[31m\u{0}\u{9b}\u{2028}é😀", ["k": "1\n2"])
    #expect(text.utf8.count { $0 == 0x0a } == 1)
    #expect(text.hasSuffix(#"a\nb\r\u{1b}[31m\u{0}\u{9b}\u{2028}é😀 k=1\n2"# + "\n"))
  }

  @Test func isCutAtItsLimit() {
    for length in 4_050..<4_110 {
      let bytes = LogLine.bytes(
        millisecondsSince1970: 0, level: .info,
        message: String(repeating: "é", count: length / 2)
          + String(repeating: "x", count: length % 2),
        metadata: [:])
      #expect(bytes.count <= LogLine.longest)
      #expect(String(validating: bytes, as: UTF8.self) != nil)
    }
    let long = line(String(repeating: "x", count: 1_000_000))
    #expect(long.utf8.count == LogLine.longest && long.hasSuffix("x...\n"))
  }

  @Test func theHandlerMergesMetadataAndHeedsTheLevel() {
    let lines = Lines()
    var logger = Logger(label: "test") { _ in
      StandardErrorLogHandler(level: .warning) { lines.add($0) }
    }
    logger[metadataKey: "a"] = "1"
    logger.info("unseen")
    logger.error("seen", metadata: ["b": "2", "a": "3"])
    #expect(lines.all.count == 1)
    #expect(lines.all.first?.hasSuffix("error   seen a=3 b=2\n") == true)
  }

  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: [UInt8]) {
      lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
    }

    var all: [String] { lines.withLock { $0 } }
  }
}
