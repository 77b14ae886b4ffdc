/// Stands before every call of a client, of whatever shape: adds what all calls need, refuses some,
/// or watches how they go.
///
/// Several stand in the order in which the client was given them: the first one sees a call first,
/// and its end last. A call that is repeated passes them once.
public protocol ClientInterceptor: Sendable {
  /// Called before anything is sent, on the caller's task. May change the options; what the call
  /// inherits from the one that is being answered is already in them.
  ///
  /// Answers what is to be told the end of the call, once: nil for a call that ended OK. A stream
  /// ends when its end was read, or when it was given up.
  ///
  /// - Throws: What the caller gets instead of the call.
  func begin(
    _ method: MethodDescriptor, _ options: inout CallOptions
  ) async throws(RPCError) -> ClientCallEnd?
}

/// Is told how a call ended; nil means OK.
public typealias ClientCallEnd = @Sendable (RPCError?) -> Void

/// Tells all who want to know it the end of one call: exactly once, the innermost first.
struct ClientCallEnds: Sendable {
  private var ends: [ClientCallEnd] = []

  /// Passes a call through `interceptors`. When one of them refuses it, those before it are told.
  init(
    _ interceptors: [any ClientInterceptor], _ method: MethodDescriptor,
    _ options: inout CallOptions
  ) async throws(RPCError) {
    for interceptor in interceptors {
      do throws(RPCError) {
        if let end = try await interceptor.begin(method, &options) { ends.append(end) }
      } catch {
        tell(error)
        throw error
      }
    }
  }

  var isEmpty: Bool { ends.isEmpty }

  func tell(_ error: RPCError?) {
    for end in ends.reversed() { end(error) }
  }
}
