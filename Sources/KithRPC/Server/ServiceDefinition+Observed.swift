/// Is told of the calls of one method, on the handler's own task. Both functions must be quick.
public protocol CallObserver: Sendable {
  /// A handler is about to run.
  func callBegan()
  /// A handler has returned or thrown; `code` is what its caller is told, DEADLINE_EXCEEDED when
  /// that has stopped waiting.
  func callEnded(_ code: StatusCode, afterMicroseconds time: UInt64)
}

extension ServiceDefinition {
  /// The same service, watched: each method by an observer of its own. A worker tells by them what
  /// it does beside what its host asks of it.
  public func observed(
    by observer: (MethodDescriptor) -> any CallObserver
  ) -> ServiceDefinition {
    ServiceDefinition(
      name: name, descriptorSet: { self.descriptorSet },
      methods: implementations.map { $0.observed(by: observer($0.descriptor)) })
  }
}

extension MethodImplementation {
  fileprivate func observed(by observer: any CallObserver) -> MethodImplementation {
    switch body {
    case .unary(let body):
      MethodImplementation(
        descriptor: descriptor,
        body: .unary { request, context, headroom in
          try await observer.watching(context) { try await body(request, context, headroom) }
        }, recordsAnswers: recordsAnswers)
    case .streaming(let body):
      MethodImplementation(
        descriptor: descriptor,
        body: .streaming { stream, context in
          try await observer.watching(context) { try await body(stream, context) }
        })
    }
  }
}

extension CallObserver {
  fileprivate func watching<Answer>(
    _ context: CallContext, _ body: () async throws -> Answer
  ) async throws -> Answer {
    callBegan()
    let start = Moment.now
    do {
      let answer = try await body()
      tell(context, .ok, since: start)
      return answer
    } catch {
      tell(context, RPCError(ofHandler: error).code, since: start)
      throw error
    }
  }

  private func tell(_ context: CallContext, _ code: StatusCode, since start: Moment) {
    let end = Moment.now
    let isLate = context.moment.map { $0.duration(until: end) > .zero } ?? false
    callEnded(
      isLate ? .deadlineExceeded : code, afterMicroseconds: UInt64(start.microseconds(until: end)))
  }
}
