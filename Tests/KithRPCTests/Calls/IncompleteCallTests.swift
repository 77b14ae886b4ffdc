import Testing

@testable import KithRPC

/// What a server's table makes of requests that are not complete: the time that they have, the
/// places that they do not take, the bytes that they hold.
struct IncompleteCallTests {
  private static let unary = MethodDescriptor(service: "a.B", method: "One")
  private static let download = MethodDescriptor(
    service: "a.B", method: "Out", shape: .serverStreaming)
  private static let stream = MethodDescriptor(
    service: "a.B", method: "Many", shape: .bidirectional)
  private static let id = MessageHeader.idMark | 1
  private static let begin = Moment(nanoseconds: 1_000_000_000)
  private static let limits = RPCLimits(messageTimeout: .seconds(10))
  private static let step = [UInt8](repeating: 1, count: MessagePace.step)[...]

  private var table = ServerCallTable<Int>(limits: limits)

  private static func at(_ seconds: Double) -> Moment {
    begin.advanced(by: .seconds(seconds))
  }

  /// The status that ends the only call at `moment`; nil when it goes on.
  private func ending(at moment: Moment) -> CallStatus? {
    var later = table
    return later.expire(moment).first?.ending?.status
  }

  private mutating func start(
    _ method: MethodDescriptor = unary, microseconds: Int64? = nil,
    message: ArraySlice<UInt8>? = nil,
    isPart: Bool = false, isHalfClose: Bool = false, place: CallStatus? = nil, fits: Bool = true
  ) -> ServerCallTable<Int>.Reaction {
    table.receive(
      Self.id,
      CallerFrame(
        start: CallerFrame.Start(timeoutMicroseconds: microseconds), isHalfClose: isHalfClose,
        isPart: isPart, message: message), .allowed(method), place: place, fits: fits,
      now: Self.begin)
  }

  @Test(arguments: [unary, download])
  mutating func theDeadlineRunsFromTheArrivalOfTheStart(_ method: MethodDescriptor) {
    let reaction = start(method, microseconds: 1_000_000)
    #expect(reaction.start == nil && reaction.alarm == Self.at(1))
    #expect(table.nextDeadline == Self.at(1))
    #expect(ending(at: Self.at(0.999)) == nil)
    let status = ending(at: Self.at(1))
    #expect(status?.code == .deadlineExceeded)
    #expect(status?.error?.execution == .notStarted)
  }

  @Test(arguments: [unary, download])
  mutating func aStartThatNeverGetsItsMessageEndsAlsoWithoutADeadline(_ method: MethodDescriptor) {
    #expect(start(method).alarm == Self.at(10))
    #expect(table.nextDeadline == Self.at(10))
    #expect(ending(at: Self.at(9.999)) == nil)
    let status = ending(at: Self.at(10))
    #expect(status?.code == .deadlineExceeded && status?.error?.execution == .notStarted)
  }

  @Test mutating func aDeadlineDoesNotExtendTheTimeForTheMessage() {
    _ = start(microseconds: 3_600_000_000)
    #expect(table.nextDeadline == Self.at(10))
    #expect(ending(at: Self.at(10)) != nil)
  }

  @Test mutating func eachStepOfAMessageBuysTheTimeOnceMore() {
    _ = start(message: Self.step, isPart: true)
    #expect(table.nextDeadline == Self.at(20))
    let part = CallerFrame(isPart: true, message: Self.step.dropLast())
    let reaction = table.receive(Self.id, part, .allowed(Self.unary), now: Self.at(19))
    // All but the last byte of a step buys nothing.
    #expect(reaction.alarm == Self.at(20) && table.nextDeadline == Self.at(20))
    #expect(ending(at: Self.at(20))?.code == .deadlineExceeded)
  }

  @Test mutating func aCompleteRequestHasOnlyItsDeadline() {
    _ = start(microseconds: 60_000_000)
    let last = CallerFrame(message: [1])
    let reaction = table.receive(Self.id, last, .allowed(Self.unary), now: Self.at(5))
    #expect(reaction.start != nil && reaction.alarm == Self.at(60))
    #expect(table.nextDeadline == Self.at(60))
  }

  @Test mutating func aMessageOfAStreamThatStopsHalfwayEndsTheCall() {
    #expect(start(Self.stream).start != nil)
    #expect(table.nextDeadline == nil, "a stream that is silent between two messages goes on")
    let part = CallerFrame(isPart: true, message: [1])
    #expect(
      table.receive(Self.id, part, .allowed(Self.stream), now: Self.at(100)).alarm == Self.at(110))
    #expect(ending(at: Self.at(110))?.code == .deadlineExceeded)
    let last = CallerFrame(message: [1])
    _ = table.receive(Self.id, last, .allowed(Self.stream), now: Self.at(101))
    #expect(table.nextDeadline == nil)
  }

  @Test mutating func timeInWhichNothingWasReadDoesNotCount() {
    _ = start(message: [1], isPart: true)
    table.restartPaces(now: Self.at(9))
    #expect(table.nextDeadline == Self.at(19) && ending(at: Self.at(18.9)) == nil)
  }

  // MARK: - Places

  @Test mutating func aPlaceIsTakenWhenTheHandlerStartsAndNotBefore() {
    var taken = 0
    func place() -> CallStatus? {
      taken += 1
      return nil
    }
    func receive(_ frame: CallerFrame) -> ServerCallTable<Int>.Reaction {
      table.receive(Self.id, frame, .allowed(Self.unary), place: place(), now: Self.begin)
    }
    _ = receive(CallerFrame(start: CallerFrame.Start()))
    _ = receive(CallerFrame(isPart: true, message: [1]))
    #expect(taken == 0 && table.waiting == 1 && table.running == 0)
    #expect(receive(CallerFrame(message: [2])).start != nil)
    #expect(taken == 1 && table.waiting == 0 && table.running == 1)
  }

  @Test(arguments: [unary, stream])
  mutating func withoutAPlaceTheCallEndsUnstarted(_ method: MethodDescriptor) {
    let full = CallStatus.tooManyCalls(1, on: "this worker")
    let reaction = start(method, message: [1], place: full)
    #expect(reaction.start == nil && reaction.ending?.status?.code == .resourceExhausted)
    #expect(reaction.ending?.status?.error?.execution == .notStarted)
    #expect(table.count == 0 && table.bytesHeld == 0)
  }

  @Test mutating func withoutAPlaceACallEndsWhenItsRequestIsComplete() {
    _ = start(message: [1], isPart: true)
    let reaction = table.receive(
      Self.id, CallerFrame(message: [2]), .allowed(Self.unary),
      place: .tooManyCalls(1, on: "this worker"), now: Self.begin)
    #expect(reaction.start == nil && reaction.ending?.status?.code == .resourceExhausted)
    #expect(reaction.ending?.status?.error?.execution == .notStarted)
    #expect(table.count == 0 && table.waiting == 0 && table.bytesHeld == 0)
  }

  @Test mutating func aStreamThatEndsInItsFirstFrameLeavesNothingBehind() {
    let reaction = start(Self.stream, message: [1], isPart: true, isHalfClose: true)
    #expect(reaction.start == nil && reaction.ending?.status?.code == .invalidArgument)
    #expect(table.count == 0 && table.bytesHeld == 0)
  }

  // MARK: - Bytes

  @Test mutating func partsAreHeldUntilTheHandlerHasThem() {
    _ = start(message: Self.step, isPart: true)
    let request = CallerFrame.Start().bytesHeld
    #expect(table.bytesHeld == Self.step.count + request)
    let reaction = table.receive(
      Self.id, CallerFrame(message: []), .allowed(Self.unary), now: Self.begin)
    #expect(reaction.start != nil && table.bytesHeld == 0, "a small request is its handler's")
  }

  @Test mutating func aLargeRequestIsHeldUntilItsHandlerHasReturned() throws {
    let large = [UInt8](repeating: 0, count: OutgoingFrame.partSize + 1)[...]
    let call = try #require(start(message: large).start)
    #expect(table.bytesHeld == large.count)
    _ = table.receive(Self.id, CallerFrame(cancel: ""), .allowed(Self.unary), now: Self.begin)
    #expect(table.bytesHeld == large.count, "the handler still runs")
    _ = table.finish(call)
    #expect(table.bytesHeld == 0)
  }

  @Test mutating func messagesOfAStreamAreHeldUntilTheyAreRead() throws {
    let call = try #require(start(Self.stream, message: Self.step).start)
    #expect(table.bytesHeld == Self.step.count)
    _ = table.read(call, 1)
    #expect(table.bytesHeld == 0)
  }

  @Test mutating func metadataOfAWaitingCallIsHeldToo() {
    var start = CallerFrame.Start()
    start.metadata = ["k": String(repeating: "v", count: 10_000)]
    _ = table.receive(
      Self.id, CallerFrame(start: start), .allowed(Self.unary), now: Self.begin)
    #expect(table.bytesHeld > 10_000)
  }

  @Test mutating func withoutMemoryTheCallEndsAndTheOthersGoOn() {
    let refused = start(message: [1], isPart: true, fits: false)
    #expect(refused.ending?.status?.code == .resourceExhausted && table.count == 0)
    #expect(refused.ending?.status?.error?.execution == .notStarted)
    _ = start(message: [1], isPart: true)
    let ended = table.receive(
      Self.id, CallerFrame(isPart: true, message: [1]), .allowed(Self.unary), fits: false,
      now: Self.begin)
    #expect(ended.ending?.status?.code == .resourceExhausted && table.count == 0)
    #expect(table.bytesHeld == 0)
  }

  @Test mutating func aMessageThatWasDroppedEndsItsCallOpenOrNot() {
    #expect(table.refuseMessage(Self.id).ending?.status?.code == .resourceExhausted)
    _ = start(Self.stream)
    let reaction = table.refuseMessage(Self.id)
    #expect(reaction.ending?.status?.code == .resourceExhausted && table.openIDs.isEmpty)
  }

  @Test func memoryIsAskedForWhatTheTableKeepsAndNothingElse() {
    let large = [UInt8](repeating: 0, count: OutgoingFrame.partSize + 1)[...]
    let start = CallerFrame.Start()
    #expect(!table.keeps(Self.id, CallerFrame(start: start, message: large.dropLast())))
    #expect(table.keeps(Self.id, CallerFrame(start: start, message: large)))
    #expect(table.keeps(Self.id, CallerFrame(start: start)))
    #expect(table.keeps(Self.id, CallerFrame(start: start, isPart: true, message: [1])))
    #expect(table.keeps(Self.id, CallerFrame(message: [1])))
    #expect(!table.keeps(Self.id, CallerFrame(isHalfClose: true)))
  }
}
