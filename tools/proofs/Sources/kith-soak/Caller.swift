import KithRPC
import RiskContract
import TestingContract

/// One of those who call: a call after the other, each drawn from its generator, with trouble of
/// its own making.
struct Caller {
  private static let shapes = ["unary", "unary", "append", "append", "count", "sum", "echo"]

  private let risk: RiskEngineClient
  private let streams: StreamsClient
  private let once: OnceClient
  private let journal: Journal
  private let open: OpenCalls
  private let name: String
  private var generator: SeededGenerator
  private var entries = 0
  /// Whether the last call found no worker: the next one waits for it.
  private var isWaiting = true

  /// A caller who has not called.
  init(
    client: RPCClient, journal: Journal, open: OpenCalls, name: String, generator: SeededGenerator
  ) {
    risk = RiskEngineClient(client)
    streams = StreamsClient(client)
    once = OnceClient(client)
    self.journal = journal
    self.open = open
    self.name = name
    self.generator = generator
  }

  /// Calls until then.
  consuming func run(until end: ContinuousClock.Instant) async {
    var caller = self
    while ContinuousClock.now < end { await caller.callOnce() }
  }

  private mutating func callOnce() async {
    switch Self.shapes.randomElement(using: &generator) {
    case "append": await append()
    case "count": await count()
    case "sum": await sum()
    case "echo": await echo()
    default: await unary()
    }
  }

  // MARK: The shapes

  private mutating func unary() async {
    // Some take their time, so that deadlines and cancellations meet them at work.
    let work = generator.chance(percent: 20) ? Int.random(in: 0...30, using: &generator) : 0
    let request = AnalyzeRequest(text: work > 0 ? "work \(work)" : "nothing")
    let (trouble, options) = trouble()
    let end = await observed("unary", trouble) { [risk] in
      let answer = try await risk.analyze(request, options: options)
      return answer.engineVersion.isEmpty ? .lost("the answer is empty") : .ok
    }
    isWaiting = end == .failed(.unavailable)
  }

  private mutating func count() async {
    var (trouble, options) = trouble()
    var request = CountRequest(
      count: UInt32.random(in: 0...2000, using: &generator), paddingBytes: padding())
    if generator.chance(percent: 10) {
      trouble.askedFor = .dataLoss
      request.endCode = StatusCode.dataLoss.rawValue
    }
    let pace = pace()
    let leavesAt =
      generator.chance(percent: 10) ? UInt64.random(in: 0...100, using: &generator) : nil
    let end = await observed("count", trouble) { [streams, request, trouble, options] in
      var next: UInt64 = 0
      do {
        for try await message in try await streams.count(request, options: options) {
          guard message.number == next, message.padding.count == Int(request.paddingBytes) else {
            return .lost("message \(message.number) came instead of \(next)")
          }
          next += 1
          // Released before its end, which gives it up.
          if next == leavesAt { return .ok }
          try await pace.wait(afterMessage: next)
        }
      } catch let error as RPCError where error.code == trouble.askedFor {
        guard next == UInt64(request.count) else {
          return .lost("\(next) of \(request.count) messages before the status that was asked for")
        }
        throw error
      }
      let isWhole = next == UInt64(request.count) && trouble.askedFor == nil
      return isWhole ? .ok : .lost("it ended OK after \(next) of \(request.count) messages")
    }
    isWaiting = end == .failed(.unavailable)
  }

  private mutating func sum() async {
    let (trouble, options) = trouble()
    let (count, padding) = (UInt64.random(in: 0...500, using: &generator), padding())
    let pace = pace()
    let end = await observed("sum", trouble) { [streams] in
      let call = try await streams.sum(options: options)
      let bytes = [UInt8](repeating: 2, count: Int(padding))
      for number in 0..<count {
        try await call.requests.write(Numbered(number: number, padding: bytes))
        try await pace.wait(afterMessage: number)
      }
      let answer = try await call.response().message
      let expected = SumResponse(
        count: count, sum: count * (max(count, 1) - 1) / 2, paddingBytes: count * UInt64(padding))
      return answer == expected ? .ok : .lost("\(answer) came instead of \(expected)")
    }
    isWaiting = end == .failed(.unavailable)
  }

  private mutating func echo() async {
    let (trouble, options) = trouble()
    let (count, padding) = (UInt64.random(in: 0...500, using: &generator), padding())
    let pace = pace()
    let end = await observed("echo", trouble) { [streams] in
      let call = try await streams.echo(options: options)
      async let written: Void = {
        let bytes = [UInt8](repeating: 3, count: Int(padding))
        for number in 0..<count {
          try await call.requests.write(Numbered(number: number, padding: bytes))
        }
        call.requests.finish()
      }()
      var next: UInt64 = 0
      for try await message in call.responses {
        guard message.number == next, message.padding.count == Int(padding) else {
          return .lost("message \(message.number) came instead of \(next)")
        }
        next += 1
        try await pace.wait(afterMessage: next)
      }
      try await written
      return next == count ? .ok : .lost("it ended OK after \(next) of \(count) messages")
    }
    isWaiting = end == .failed(.unavailable)
  }

  /// Appends an entry: without a key once, with a key until an answer comes, and now and then again
  /// after it.
  private mutating func append() async {
    entries += 1
    let request = AppendRequest(entry: "\(name)-\(entries)")
    if generator.chance(percent: 30) {
      _ = await appendAttempt(request, nil)
      return
    }
    // Of the caller's name, and so the same in a run that is made again.
    guard let key = try? IdempotencyKey("key-\(request.entry)") else { return }
    var answer: AppendResponse?
    for _ in 0..<5 {
      if generator.chance(percent: 20) {
        answer = await twins(request, key)
      } else {
        let (end, came) = await appendAttempt(request, key)
        answer = came
        if end == .failed(.aborted) { return }
      }
      if answer != nil { break }
    }
    guard let answer else { return }
    // On purpose: the answer must be the first one.
    while generator.chance(percent: 30) {
      _ = await appendAttempt(request, key, expected: answer)
    }
  }

  /// The same call twice at once.
  private mutating func twins(
    _ request: AppendRequest, _ key: IdempotencyKey
  ) async -> AppendResponse? {
    let (first, second) = (appendCall(request, key), appendCall(request, key))
    async let one = first()
    async let other = second()
    let answers = await (one, other)
    isWaiting = answers.0.end == .failed(.unavailable)
    return answers.0.answer ?? answers.1.answer
  }

  private mutating func appendAttempt(
    _ request: AppendRequest, _ key: IdempotencyKey?, expected: AppendResponse? = nil
  ) async -> (end: CallEnd, answer: AppendResponse?) {
    let outcome = await appendCall(request, key, expected: expected)()
    isWaiting = outcome.end == .failed(.unavailable)
    return outcome
  }

  private mutating func appendCall(
    _ request: AppendRequest, _ key: IdempotencyKey?, expected: AppendResponse? = nil
  ) -> @Sendable () async -> (end: CallEnd, answer: AppendResponse?) {
    var (trouble, options) = trouble()
    options.idempotencyKey = key
    // Begun by a worker that was killed before it noted the end. Once answered, that is no excuse.
    if key != nil, expected == nil { trouble.askedFor = .aborted }
    return { [once, journal, open, trouble, options] in
      await Self.observed(key == nil ? "append" : "append with key", trouble, journal, open) {
        let came = try await once.append(request, options: options)
        journal.acknowledge(came.entry)
        guard came.entry == request.entry else { return (.lost("another's answer came"), nil) }
        if let expected, came != expected {
          return (.lost("a repeat was answered \(came), the call itself \(expected)"), nil)
        }
        return (.ok, came)
      }
    }
  }

  // MARK: Trouble

  private mutating func trouble() -> (Trouble, CallOptions) {
    var trouble = Trouble()
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<15: trouble.timeout = generator.milliseconds(0...20)
    case 15..<40: trouble.timeout = .seconds(30)
    default: break
    }
    if generator.chance(percent: 15) { trouble.cancelledAfter = generator.milliseconds(0...25) }
    return (trouble, CallOptions(timeout: trouble.timeout, waitForReady: isWaiting))
  }

  private mutating func padding() -> UInt32 {
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<60: 0
    case 60..<98: UInt32.random(in: 1...1024, using: &generator)
    default: UInt32.random(in: 1024...20_000, using: &generator)
    }
  }

  private mutating func pace() -> Pace {
    guard generator.chance(percent: 10) else { return Pace(every: nil, pause: .zero) }
    return Pace(
      every: UInt64.random(in: 20...200, using: &generator), pause: generator.milliseconds(1...40))
  }

  private func observed(
    _ shape: String, _ trouble: Trouble, _ call: @escaping @Sendable () async throws -> CallEnd
  ) async -> CallEnd {
    await Self.observed(shape, trouble, journal, open) { (try await call(), ()) }.end
  }

  /// Makes a call, cancels it when its time has come, and notes its end.
  private static func observed<Answer: Sendable>(
    _ shape: String, _ trouble: Trouble, _ journal: Journal, _ open: OpenCalls,
    _ call: @escaping @Sendable () async throws -> (CallEnd, Answer?)
  ) async -> (end: CallEnd, answer: Answer?) {
    journal.begin(shape)
    let id = open.open(shape, within: Load.patience)
    let work = Task { () async -> (CallEnd, Answer?) in
      do {
        return try await call()
      } catch let error as RPCError {
        return (trouble.judge(error), nil)
      } catch is CancellationError where trouble.cancelledAfter != nil {
        // Of a reader who rested between two messages.
        return (.failed(.cancelled), nil)
      } catch {
        return (.odd("\(error)"), nil)
      }
    }
    let canceller = trouble.cancelledAfter.map { delay in
      Task {
        try? await Task.sleep(for: delay)
        work.cancel()
      }
    }
    var (end, answer) = await work.value
    canceller?.cancel()
    if !open.close(id) { end = .lost("it ended after its bound, \(end)") }
    journal.end(shape, end)
    return (end, answer)
  }
}
