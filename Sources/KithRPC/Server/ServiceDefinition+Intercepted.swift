extension ServiceDefinition {
  /// The same service, in which some methods pass an interceptor of their own before their handler;
  /// the others are as they were.
  /// - Parameter interceptor: that of a method; nil for none.
  public func intercepted(
    by interceptor: (MethodDescriptor) -> (any ServerInterceptor)?
  ) -> ServiceDefinition {
    ServiceDefinition(
      name: name, descriptorSet: { self.descriptorSet },
      methods: implementations.map { method in
        interceptor(method.descriptor).map(method.intercepted) ?? method
      })
  }
}

extension MethodImplementation {
  fileprivate func intercepted(by interceptor: any ServerInterceptor) -> MethodImplementation {
    switch body {
    case .unary(let body):
      MethodImplementation(
        descriptor: descriptor,
        body: .unary { request, context, headroom in
          try await interceptor.intercept(context) { try await body(request, context, headroom) }
        }, recordsAnswers: recordsAnswers)
    case .streaming(let body):
      MethodImplementation(
        descriptor: descriptor,
        body: .streaming { stream, context in
          try await interceptor.intercept(context) { try await body(stream, context) }
        })
    }
  }
}
