import Testing

@testable import KithHost

@Suite struct LineSplitterTests {
  @Test func linesComeOutHoweverTheBytesCameIn() {
    let text = "one\ntwo\n\nthree with \u{1F600}\nlast"
    let bytes = Array(text.utf8)
    for size in 1...bytes.count {
      var splitter = LineSplitter()
      var lines: [LineSplitter.Line] = []
      for begin in stride(from: 0, to: bytes.count, by: size) {
        lines += splitter.add(Array(bytes[begin..<min(begin + size, bytes.count)]))
      }
      lines += splitter.finish()
      #expect(
        lines.map(\.text) == ["one", "two", "", "three with \u{1F600}", "last"],
        "pieces of \(size)")
      #expect(lines.map(\.bytes) == [4, 4, 1, 16, 4], "pieces of \(size)")
    }
  }

  @Test func aLongLineBecomesSeveralAndLosesNothing() {
    var splitter = LineSplitter()
    let long = String(repeating: "\u{00E9}", count: 20_000) + "x"
    var lines = splitter.add(Array(long.utf8))
    lines += splitter.add(Array("tail\n".utf8))
    #expect(lines.allSatisfy { $0.text.utf8.count <= LogRecord.maximumTextBytes })
    #expect(lines.map(\.text).joined() == long + "tail")
    #expect(lines.reduce(0) { $0 + $1.bytes } == long.utf8.count + "tail\n".utf8.count)
    #expect(splitter.finish() == [])
  }

  @Test(arguments: 1...3)
  func aCharacterAtThePlaceOfTheCutIsNotCut(bytesBefore: Int) {
    var splitter = LineSplitter()
    let head = String(repeating: "x", count: LogRecord.maximumTextBytes - bytesBefore)
    let lines = splitter.add(Array("\(head)\u{1F600}y\n".utf8))
    #expect(lines.map(\.text) == [head, "\u{1F600}y"])
  }

  @Test func whatIsNotTextIsShownAsReplacementCharacters() {
    var splitter = LineSplitter()
    #expect(splitter.add([0xFF, 0x41, 0x0A]).map(\.text) == ["\u{FFFD}A"])
    let lines =
      splitter.add([UInt8](repeating: 0xFF, count: 20_000) + [0x0A])
    #expect(lines.allSatisfy { $0.text.utf8.count <= LogRecord.maximumTextBytes })
    #expect(lines.map(\.text).joined() == String(repeating: "\u{FFFD}", count: 20_000))
    #expect(lines.reduce(0) { $0 + $1.bytes } == 20_001)
  }
}
