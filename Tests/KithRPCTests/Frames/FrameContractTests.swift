import KithWire
import RPCContract
import Testing

@testable import KithRPC

/// The envelope is read and written by hand; here it is held against the code generated from its
/// contract.
struct FrameContractTests {
  private let method = MethodDescriptor(service: "kith.test.v1.Service", method: "Do")
  private let metadata: Metadata = [
    "a": "text", "b": "", "a": "again",
  ]

  /// The frame in a sealed one, without header and id.
  private func frame(_ frame: OutgoingFrame) throws -> [UInt8] {
    let bytes = try #require(frame.sealed).bytes
    return Array(bytes[(MessageFraming.ipc.headerSize + MessageHeader.idSize)...])
  }

  @Test func aCallIsOpenedAsTheContractSays() throws {
    var message = WireBuffer(headroom: 4)
    message.append([9, 8, 7])
    let start = CallStart(
      method: method, timeoutMicroseconds: 1_234_567, metadata: metadata,
      traceparent: "00-aa-bb-01",
      idempotencyKey: try IdempotencyKey("a-key"))
    let outgoing = OutgoingFrame.caller(
      MessageHeader.idMark | 5, start: start, message: message, framing: .ipc, inParts: false)
    let decoded = try RPCContract.CallerFrame(decoding: try frame(outgoing)[...])
    #expect(decoded.start?.method == "kith.test.v1.Service/Do")
    #expect(decoded.start?.timeoutUs == 1_234_567)
    #expect(decoded.start?.traceparent == "00-aa-bb-01")
    #expect(decoded.start?.idempotencyKey == "a-key")
    #expect(decoded.start?.metadata.map(\.key) == ["a", "b", "a"])
    #expect(decoded.message == [9, 8, 7])
    #expect(!decoded.halfClose && !decoded.more && decoded.cancel == nil)
  }

  @Test func anEmptyMessageIsPresentAndNoMessageIsAbsent() throws {
    let start = CallStart(
      method: method, timeoutMicroseconds: nil, metadata: [:], traceparent: "", idempotencyKey: nil)
    let empty = OutgoingFrame.caller(
      MessageHeader.idMark | 5, start: start, message: WireBuffer(), framing: .ipc, inParts: false)
    #expect(try RPCContract.CallerFrame(decoding: try frame(empty)[...]).message == [])
    let none = OutgoingFrame.caller(
      MessageHeader.idMark | 5, start: start, message: nil, framing: .ipc, inParts: false)
    let decoded = try RPCContract.CallerFrame(decoding: try frame(none)[...])
    #expect(decoded.message == nil && decoded.start != nil && decoded.start?.timeoutUs == nil)
  }

  @Test func smallFramesAreThoseOfTheContract() throws {
    let halfClose = try RPCContract.CallerFrame(decoding: CallerFrame.halfClose.bytes[...])
    #expect(halfClose.halfClose && halfClose.start == nil)
    let cancel = try RPCContract.CallerFrame(
      decoding: CallerFrame.cancellation(reason: "why").bytes[...])
    #expect(cancel.cancel?.reason == "why")
    let grant = Credit(messages: 3, bytes: 70_000)
      .sealed(field: CallerFrame.creditField, id: 1, framing: .ipc)
    let credit = try RPCContract.CallerFrame(decoding: try frame(grant)[...]).credit
    #expect(credit?.messages == 3 && credit?.bytes == 70_000)
    let notice = ConnectionNotice(takesParts: true, ping: 4, pong: 0, isLeaving: true)
      .sealed(field: WorkerFrame.connectionField, framing: .ipc)
    let connection = try RPCContract.WorkerFrame(decoding: try frame(notice)[...]).connection
    #expect(connection?.takesParts == true && connection?.ping == 4 && connection?.pong == 0)
    #expect(connection?.leaving == true)
  }

  @Test func theEndOfACallIsThatOfTheContract() throws {
    let status = CallStatus(
      .invalidArgument, "no",
      details: [FieldViolation(field: "text", description: "set it").detail],
      trailers: ["t": "u"])
    let outgoing = OutgoingFrame.worker(
      1, message: nil, metadata: metadata, end: status, framing: .ipc, inParts: true)
    let decoded = try RPCContract.WorkerFrame(decoding: try frame(outgoing)[...])
    #expect(decoded.status?.code == .invalidArgument && decoded.status?.message == "no")
    #expect(decoded.status?.details.first?.type == "kith.rpc.v1.FieldViolation")
    #expect(decoded.status?.trailers.first?.key == "t")
    #expect(decoded.metadata.count == 3 && decoded.message == nil)
  }

  @Test func whatTheContractWritesIsRead() throws {
    var caller = RPCContract.CallerFrame()
    caller.start = RPCContract.CallStart()
    caller.start?.method = "a.B/C"
    caller.start?.timeoutUs = -1
    caller.credit = RPCContract.Credit()
    caller.credit?.messages = 7
    caller.halfClose = true
    caller.more = true
    caller.connection = RPCContract.ConnectionNotice()
    caller.connection?.takesParts = true
    caller.connection?.ping = 9
    caller.message = [1, 2]
    let read = try KithRPC.CallerFrame(decoding: try caller.encoded()[...])
    #expect(read.start?.method.elementsEqual("a.B/C".utf8) == true)
    #expect(read.start?.timeoutMicroseconds == -1)
    #expect(read.credit == Credit(messages: 7, bytes: 0))
    #expect(read.isHalfClose && read.isPart)
    #expect(read.connection == ConnectionNotice(takesParts: true, ping: 9))
    #expect(read.message == [1, 2])

    var worker = RPCContract.WorkerFrame()
    worker.status = RPCContract.CallStatus()
    worker.status?.code = .unavailable
    worker.credit = RPCContract.Credit()
    worker.credit?.bytes = 8
    worker.more = true
    worker.message = []
    let answer = try KithRPC.WorkerFrame(decoding: try worker.encoded()[...])
    #expect(answer.status?.code == .unavailable)
    #expect(answer.credit == Credit(messages: 0, bytes: 8))
    #expect(answer.isPart && answer.message == [])
  }

  @Test func whetherACallMayHaveRunIsToldAsTheContractSays() throws {
    for (execution, state) in [
      (KithRPC.CallExecution.notStarted, ExecutionState.notStarted),
      (.mayHaveRun, .mayHaveRun),
    ] {
      let detail = try #require(execution.details.first)
      #expect(detail.type == RPCContract.CallExecution.fullName)
      let decoded = try RPCContract.CallExecution(decoding: detail.value)
      #expect(decoded.state == state)
    }
    #expect(KithRPC.CallExecution.unspecified.details.isEmpty)
  }

  @Test func aLargeMessageIsCutIntoPartsThatMakeItUp() throws {
    let size = OutgoingFrame.partSize * 2 + 17
    let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    var message = WireBuffer()
    message.append(content)
    var outgoing = OutgoingFrame.worker(
      MessageHeader.idMark | 1, message: message, metadata: metadata,
      end: CallStatus(trailers: ["t": "u"]), framing: .ipc, inParts: true)
    var parser = FrameParser(
      framing: .ipc, expectedHello: MessageHeader.workerHello, maximumBytes: 1 << 20)
    var bytes = WireBuffer()
    bytes.append(MessageHeader.workerHello)
    var cuts = 1
    while !outgoing.cut(into: &bytes, framing: .ipc) { cuts += 1 }
    #expect(cuts == 3)
    var events: [FrameParser.Event] = []
    try bytes.withUnsafeBytes { try parser.parse($0, into: &events) }
    let frames = try events.compactMap { event -> KithRPC.WorkerFrame? in
      guard case .message(let message) = event else { return nil }
      return try KithRPC.WorkerFrame(decoding: message.frame)
    }
    #expect(frames.map(\.isPart) == [true, true, false])
    #expect(frames.map { $0.metadata.isEmpty } == [false, true, true])
    #expect(frames.map { $0.status == nil } == [true, true, false])
    #expect(frames.flatMap { $0.message ?? [] } == content)
  }
}
