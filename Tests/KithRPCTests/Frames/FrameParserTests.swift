import KithWire
import Testing

@testable import KithRPC

/// The cutting of bytes into frames: a value, so that every way of cutting can be tried.
struct FrameParserTests {
  private static let hello = MessageHeader.workerHello

  /// A hello and messages with bodies of the given sizes, as they stand on the wire.
  private static func stream(_ framing: MessageFraming, bodies: [Int]) -> [UInt8] {
    var bytes = hello
    for (index, size) in bodies.enumerated() {
      var buffer = WireBuffer()
      buffer.append([UInt8](repeating: UInt8(index), count: size))
      framing.seal(&buffer, id: MessageHeader.idMark | UInt32(index))
      bytes += buffer.bytes
    }
    return bytes
  }

  private struct Outcome: Equatable {
    var events: [FrameParser.Event] = []
    var failure: FrameParser.Failure?
    var isBetweenMessages = false
  }

  /// What a parser makes of bytes that come in pieces.
  private static func parse(
    _ pieces: [ArraySlice<UInt8>], _ framing: MessageFraming, maximumBytes: Int = 1 << 16
  ) -> Outcome {
    var parser = FrameParser(framing: framing, expectedHello: hello, maximumBytes: maximumBytes)
    var outcome = Outcome()
    for piece in pieces where outcome.failure == nil {
      piece.withUnsafeBytes { bytes in
        do throws(FrameParser.Failure) {
          try parser.parse(bytes, into: &outcome.events)
        } catch {
          outcome.failure = error
        }
      }
    }
    outcome.isBetweenMessages = parser.isBetweenMessages
    return outcome
  }

  @Test(arguments: [MessageFraming.ipc, .tcp])
  func everyWayToCutAStreamInThreeGivesTheSame(_ framing: MessageFraming) {
    let bytes = Self.stream(framing, bodies: [0, 1, 7])
    let whole = Self.parse([bytes[...]], framing)
    #expect(whole.events.count == 4 && whole.failure == nil && whole.isBetweenMessages)
    for first in 0...bytes.count {
      for second in first...bytes.count {
        let pieces = [bytes[..<first], bytes[first..<second], bytes[second...]]
        #expect(Self.parse(pieces, framing) == whole)
      }
    }
  }

  @Test(arguments: [MessageFraming.ipc, .tcp])
  func aStreamThatIsCutShortGivesWhatWasWhole(_ framing: MessageFraming) {
    let bytes = Self.stream(framing, bodies: [3, 5])
    let whole = Self.parse([bytes[...]], framing)
    for count in 0..<bytes.count {
      let outcome = Self.parse([bytes[..<count]], framing)
      #expect(outcome.failure == nil)
      #expect(outcome.events == Array(whole.events.prefix(outcome.events.count)))
      #expect(outcome.events.count < whole.events.count)
    }
  }

  @Test func aHeaderOfFourGigabytesIsRefusedBeforeMemoryIsTakenForIt() {
    var bytes = Self.hello
    bytes += [1, 0, 0, 0, 1, 0, 0, 0, 0]
    let outcome = Self.parse([bytes[...]], .ipc)
    #expect(outcome.failure == .tooLong(1 << 32))
    #expect(outcome.events == [.hello])
  }

  @Test(arguments: [MessageFraming.ipc, .tcp])
  func aMessageOfExactlyTheLimitIsTakenAndOneByteMoreIsNot(_ framing: MessageFraming) {
    // The id counts too.
    let whole = Self.parse([Self.stream(framing, bodies: [6])[...]], framing, maximumBytes: 10)
    #expect(whole.failure == nil && whole.events.count == 2)
    let more = Self.parse([Self.stream(framing, bodies: [7])[...]], framing, maximumBytes: 10)
    #expect(more.failure == .tooLong(11) && more.events == [.hello])
  }

  @Test func whatIsNoHeaderOrNoIdIsRefused() {
    let hello = Self.hello
    #expect(Self.parse([(hello + [2])[...]], .ipc).failure == .badHeader)
    #expect(Self.parse([(hello + [1, 0, 0, 0, 0, 0, 0, 0, 3])[...]], .ipc).failure == .badID)
    let unmarked = hello + [1, 0, 0, 0, 0, 0, 0, 0, 4] + [0x7F, 0, 0, 1]
    #expect(Self.parse([unmarked[...]], .ipc).failure == .badID)
    #expect(Self.parse([MessageHeader.callerHello[...]], .ipc).failure == .foreignHello)
  }

  @Test(arguments: [MessageFraming.ipc, .tcp])
  func damageIsFoundAlikeHoweverTheBytesCome(_ framing: MessageFraming) {
    var random = SeededGenerator(seed: 7)
    let sound = Self.stream(framing, bodies: [2, 300, 0, 40])
    for _ in 0..<3_000 {
      var bytes = sound
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
      bytes.removeLast(Int.random(in: 0...9, using: &random))
      let whole = Self.parse([bytes[...]], framing)
      let bitwise = Self.parse(bytes.indices.map { bytes[$0...$0] }, framing)
      #expect(whole == bitwise)
    }
  }
}
