extension ServiceDefinition {
  /// The same service, watched: `began` is called before each handler runs, `ended` when it has returned or thrown,
  /// on the handler's own task. A worker tells by them what it does beside what its host asks of it. Both must be quick.
  public func observed(
    began: @escaping @Sendable () -> Void, ended: @escaping @Sendable () -> Void
  ) -> ServiceDefinition {
    ServiceDefinition(
      name: name, descriptorSet: { self.descriptorSet },
      methods: implementations.map { $0.observed(began: began, ended: ended) })
  }
}

extension MethodImplementation {
  fileprivate func observed(
    began: @escaping @Sendable () -> Void, ended: @escaping @Sendable () -> Void
  ) -> MethodImplementation {
    switch body {
    case .unary(let body):
      MethodImplementation(
        descriptor: descriptor,
        body: .unary { request, context, headroom in
          began()
          defer { ended() }
          return try await body(request, context, headroom)
        }, recordsAnswers: recordsAnswers)
    case .streaming(let body):
      MethodImplementation(
        descriptor: descriptor,
        body: .streaming { stream, context in
          began()
          defer { ended() }
          return try await body(stream, context)
        })
    }
  }
}
