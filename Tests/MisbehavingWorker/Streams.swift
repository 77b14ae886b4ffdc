import KithAccess
import KithRPC
import KithWorker
import TestingContract

/// The streams of the testing contract, which this worker does as it should.
struct Streams: StreamsHandler {
  func count(
    _ request: CountRequest, responses: ResponseWriter<Numbered>, context: CallContext
  ) async throws {
    say("counting\n")
    let (seconds, attoseconds) = context.remainingTime?.components ?? (0, 0)
    context.responseMetadata = [
      "remaining": "\(seconds * 1_000_000 + attoseconds / 1_000_000_000_000)",
      "caller": "\(context.caller)", "traceparent": "\(context.traceparent)",
    ]
    let padding = [UInt8](repeating: 1, count: Int(request.paddingBytes))
    do {
      for number in 0..<request.count {
        try await responses.write(Numbered(number: UInt64(number), padding: padding))
      }
    } catch {
      say("counting ended early\n")
      throw error
    }
    let code = StatusCode(rawValue: request.endCode)
    if code != .ok { throw RPCError(code, "as asked") }
  }

  func sum(_ requests: RequestStream<Numbered>, context: CallContext) async throws -> SumResponse {
    var response = SumResponse()
    for try await request in requests {
      response.count += 1
      response.sum &+= request.number
      response.paddingBytes += UInt64(request.padding.count)
    }
    return response
  }

  func echo(
    _ requests: RequestStream<Numbered>, responses: ResponseWriter<Numbered>, context: CallContext
  ) async throws {
    for try await request in requests { try await responses.write(request) }
  }
}
