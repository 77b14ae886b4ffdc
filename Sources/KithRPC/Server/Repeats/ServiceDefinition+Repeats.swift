import KithWire

extension ServiceDefinition {
  /// The same service, whose calls under an idempotency key are carried out once, and whose repeats
  /// are answered from a store.
  ///
  ///     var definition: ServiceDefinition { .billing(self).keepingAnswers(in: store) }
  ///
  ///     func charge(_ request: ChargeRequest, context: CallContext) async throws -> Receipt {
  ///       try await store.write(for: context, request, now: now()) { transaction in ... }
  ///     }
  ///
  /// It concerns the unary methods that the contract calls neither idempotent nor free of side
  /// effects. Their handlers change that store by its `write(for:)` alone, once in each call: what
  /// they change and what they answer is one transaction. A handler that writes in another way is
  /// refused before anything is written, with or without a key; one that answers a call under a key
  /// and has kept no answer is INTERNAL. The caller gets the kept answer. An error is not kept:
  /// nothing was changed, and a repeat is carried out.
  public func keepingAnswers(in store: any AnswerKeeper) -> ServiceDefinition {
    ServiceDefinition(
      name: name, descriptorSet: { self.descriptorSet },
      methods: implementations.map { $0.keepingAnswers(in: store) })
  }
}

extension MethodImplementation {
  fileprivate func keepingAnswers(in store: any AnswerKeeper) -> MethodImplementation {
    guard case .unary(let body) = body, descriptor.idempotency == .unknown else { return self }
    return MethodImplementation(
      descriptor: descriptor,
      body: .unary { [descriptor] request, context, headroom in
        let call = ChangingCall(descriptor, store)
        defer { call.end() }
        let answer: WireBuffer
        do {
          answer = try await ChangingCall.$current.withValue(call) {
            try await body(request, context, headroom)
          }
        } catch {
          if let refusal = call.refusal { throw CallRefusal(error: refusal) }
          throw error
        }
        guard context.idempotencyKey != nil else { return answer }
        let kept = try call.keptAnswer()
        var buffer = WireBuffer(headroom: headroom, capacity: kept.count)
        buffer.append(kept)
        return buffer
      }, recordsAnswers: true)
  }
}
