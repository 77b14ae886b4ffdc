import KithRPC
import Synchronization
import TestingContract

/// The streams of the testing contract, with what a test wants to see of them.
final class StreamsService: StreamsHandler {
  /// Set when a handler has ended because its call was over.
  let cancelled = Signal()
  /// How many messages the longest `count` has written.
  let longest = Atomic(0)

  func count(
    _ request: CountRequest, responses: ResponseWriter<Numbered>, context: CallContext
  ) async throws {
    context.responseMetadata = ["began": "yes"]
    let padding = [UInt8](repeating: 1, count: Int(request.paddingBytes))
    try await endingWithTheCall {
      for number in 0..<request.count {
        try await responses.write(Numbered(number: UInt64(number), padding: padding))
        let written = Int(number) + 1
        if written > longest.load(ordering: .relaxed), request.count > 10_000 {
          longest.store(written, ordering: .relaxed)
        }
      }
    }
    context.responseTrailers = ["counted": "\(request.count)"]
    let code = StatusCode(rawValue: request.endCode)
    if code != .ok { throw RPCError(code, "as asked") }
  }

  func sum(_ requests: RequestStream<Numbered>, context: CallContext) async throws -> SumResponse {
    var response = SumResponse()
    try await endingWithTheCall {
      for try await request in requests {
        response.count += 1
        response.sum &+= request.number
        response.paddingBytes += UInt64(request.padding.count)
      }
    }
    return response
  }

  func echo(
    _ requests: RequestStream<Numbered>, responses: ResponseWriter<Numbered>, context: CallContext
  ) async throws {
    try await endingWithTheCall {
      for try await request in requests { try await responses.write(request) }
    }
  }

  private func endingWithTheCall(_ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch {
      cancelled.set()
      throw error
    }
  }
}
