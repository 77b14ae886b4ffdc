import KithWire
import RPCContract
import Testing

@testable import KithRPC

/// Damaged frames: what the code generated from the contract takes, the code written by hand takes
/// for the same.
///
/// Not the other way round: libprotobuf-c refuses a known field of another wire type, which
/// protobuf passes over.
struct FrameMutationTests {
  /// What a frame says, without the fields that the contract does not name.
  private struct Seen: Equatable {
    var method: [UInt8]?
    var timeout: Int64?
    var traceparent = ""
    var key = ""
    var cancel: String?
    var flags: [Bool] = []
    var credit: [UInt32]?
    var notice: KithRPC.ConnectionNotice?
    var code: Int32?
    var texts: [String] = []
    var metadata: [Metadata.Entry] = []
    var trailers: [Metadata.Entry] = []
    var message: [UInt8]?
  }

  @Test func framesOfCallersAreReadAsTheContractSays() throws {
    var start = RPCContract.CallStart()
    start.method = "kith.testing.v1.Streams/Count"
    start.timeoutUs = 1_000_000
    start.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    start.idempotencyKey = "key"
    start.metadata = [.init(key: "a", value: .text("b")), .init(key: "c", value: .binary([1, 2]))]
    var opening = RPCContract.CallerFrame()
    opening.start = start
    opening.message = [1, 2, 3]
    var rest = RPCContract.CallerFrame()
    rest.cancel = .init(reason: "enough")
    rest.halfClose = true
    rest.more = true
    rest.credit = .init(messages: 5, bytes: 70_000)
    rest.connection = .init(takesParts: true, ping: 7, pong: 8, leaving: true)
    try compare(
      [try opening.encoded(), try rest.encoded()],
      generated: { bytes in Self.seen(try RPCContract.CallerFrame(decoding: bytes[...])) },
      byHand: { bytes in Self.seen(try KithRPC.CallerFrame(decoding: bytes[...])) })
  }

  @Test func framesOfWorkersAreReadAsTheContractSays() throws {
    var status = RPCContract.CallStatus()
    status.code = .unavailable
    status.message = "it has gone"
    status.details = [.init(type: "kith.rpc.v1.CallExecution", value: [8, 1])]
    status.trailers = [.init(key: "t", value: .text("u"))]
    var end = RPCContract.WorkerFrame()
    end.status = status
    end.metadata = [.init(key: "a", value: .binary([0])), .init(key: "b", value: .text(""))]
    var rest = RPCContract.WorkerFrame()
    rest.credit = .init(messages: 1_024, bytes: 262_144)
    rest.connection = .init(takesParts: true, ping: 1, pong: 2, leaving: true)
    rest.more = true
    rest.message = [9, 8, 7, 6]
    try compare(
      [try end.encoded(), try rest.encoded()],
      generated: { bytes in Self.seen(try RPCContract.WorkerFrame(decoding: bytes[...])) },
      byHand: { bytes in Self.seen(try KithRPC.WorkerFrame(decoding: bytes[...])) })
  }

  /// Damages the sound frames and has both read them; `generated` answers nil for what only the
  /// contract allows.
  private func compare(
    _ sound: [[UInt8]], generated: ([UInt8]) throws -> Seen?, byHand: ([UInt8]) throws -> Seen
  ) throws {
    var random = SeededGenerator(seed: 11)
    var taken = 0
    for frame in sound { #expect(try byHand(frame) == generated(frame)) }
    for round in 0..<20_000 {
      let bytes = Self.damaged(sound[round % sound.count], using: &random)
      guard let expected = try? generated(bytes) else { continue }
      taken += 1
      let read = try? byHand(bytes)
      #expect(read == expected, "round \(round): \(bytes)")
    }
    #expect(taken > 1_000, "hardly a damaged frame was taken: the damage shows nothing")
  }

  private static func damaged(_ bytes: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      guard let index = bytes.indices.randomElement(using: &random) else { break }
      switch Int.random(in: 0..<5, using: &random) {
      case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: bytes[index] = .random(in: 0...255, using: &random)
      case 2: bytes.remove(at: index)
      case 3: bytes.append(contentsOf: bytes[index...])
      default: bytes.removeLast(bytes.count - index)
      }
    }
    return bytes
  }

  // MARK: As the contract reads it

  private static func seen(_ frame: RPCContract.CallerFrame) -> Seen? {
    var seen = Seen()
    if let start = frame.start {
      guard let metadata = entries(start.metadata) else { return nil }
      seen.method = Array(start.method.utf8)
      seen.timeout = start.timeoutUs
      seen.traceparent = start.traceparent
      seen.key = start.idempotencyKey
      seen.metadata = metadata
    }
    seen.cancel = frame.cancel?.reason
    seen.flags = [frame.halfClose, frame.more]
    seen.credit = frame.credit.map { [$0.messages, $0.bytes] }
    seen.notice = frame.connection.map(notice)
    seen.message = frame.message
    return seen
  }

  private static func seen(_ frame: RPCContract.WorkerFrame) -> Seen? {
    guard let metadata = entries(frame.metadata),
      let trailers = entries(frame.status?.trailers ?? [])
    else { return nil }
    var seen = Seen(metadata: metadata, trailers: trailers)
    seen.code = frame.status?.code.rawValue
    seen.texts =
      frame.status.map { texts($0.message, $0.details.map { ($0.type, $0.value) }) } ?? []
    seen.flags = [frame.more]
    seen.credit = frame.credit.map { [$0.messages, $0.bytes] }
    seen.notice = frame.connection.map(notice)
    seen.message = frame.message
    return seen
  }

  /// Nil when one has no value: the contract allows it, its comment does not.
  private static func entries(_ entries: [RPCContract.MetadataEntry]) -> [Metadata.Entry]? {
    var found: [Metadata.Entry] = []
    for entry in entries {
      switch entry.value {
      case .text(let text)?: found.append(.init(key: entry.key, value: .text(text)))
      case .binary(let bytes)?: found.append(.init(key: entry.key, value: .binary(bytes)))
      case nil: return nil
      }
    }
    return found
  }

  private static func notice(_ notice: RPCContract.ConnectionNotice) -> KithRPC.ConnectionNotice {
    .init(
      takesParts: notice.takesParts, ping: notice.ping, pong: notice.pong,
      isLeaving: notice.leaving)
  }

  // MARK: As it is read by hand

  private static func seen(_ frame: KithRPC.CallerFrame) -> Seen {
    var seen = Seen(metadata: frame.start?.metadata.entries ?? [])
    seen.method = frame.start.map { Array($0.method) }
    seen.timeout = frame.start?.timeoutMicroseconds
    seen.traceparent = frame.start?.traceparent ?? ""
    seen.key = frame.start?.idempotencyKey ?? ""
    seen.cancel = frame.cancel
    seen.flags = [frame.isHalfClose, frame.isPart]
    seen.credit = frame.credit.map { [UInt32($0.messages), UInt32($0.bytes)] }
    seen.notice = frame.connection
    seen.message = frame.message.map { Array($0) }
    return seen
  }

  private static func seen(_ frame: KithRPC.WorkerFrame) -> Seen {
    var seen = Seen(
      metadata: frame.metadata.entries, trailers: frame.status?.trailers.entries ?? [])
    seen.code = frame.status?.code.rawValue
    seen.texts =
      frame.status.map { texts($0.message, $0.details.map { ($0.type, $0.value) }) } ?? []
    seen.flags = [frame.isPart]
    seen.credit = frame.credit.map { [UInt32($0.messages), UInt32($0.bytes)] }
    seen.notice = frame.connection
    seen.message = frame.message.map { Array($0) }
    return seen
  }

  private static func texts(_ message: String, _ details: [(String, [UInt8])]) -> [String] {
    [message] + details.map { "\($0.0) \($0.1)" }
  }
}
