import GRPCCore
import GRPCNIOTransportHTTP2Posix
import GRPCProtobuf
import SwiftProtobuf

/// grpc-swift-2 over a unix socket, with the messages and the handler that the Kith side has.
///
/// What it is measured with is its own usual way: the HTTP/2 transport of grpc-swift-nio-transport,
/// swift-protobuf's messages, no interceptors, no compression, no TLS.
public enum GRPCPeer {
  static let method = MethodDescriptor(
    fullyQualifiedService: "kith.risk.v1.RiskEngine", method: "Analyze")

  /// Serves `Analyze` and the streams on a unix socket until the process is ended.
  ///
  /// - Parameter handler: Takes the request's text and gives how many reasons the answer has.
  public static func serve(socketPath: String, handler: @escaping @Sendable (String) -> Int)
    async throws
  {
    let server = GRPCServer(
      transport: .http2NIOPosix(
        address: .unixDomainSocket(path: socketPath), transportSecurity: .plaintext),
      services: [Service(handler: handler), StreamService()])
    try await server.serve()
  }

  /// Connects and hands over a closure that makes one call; the connection ends with the closure.
  ///
  /// - Parameters:
  ///   - socketPath: Where the server listens.
  ///   - text: The text of every request.
  ///   - body: Receives the call; it may be made many times at once.
  public static func withClient(
    socketPath: String, text: String,
    _ body: (_ call: @escaping @Sendable () async throws -> Void) async throws -> Void
  ) async throws {
    try await withGRPCClient(
      transport: .http2NIOPosix(
        target: .unixDomainSocket(path: socketPath), transportSecurity: .plaintext)
    ) { client in
      let request = Kith_Risk_V1_AnalyzeRequest.with {
        $0.text = text
        $0.channel = .sms
        $0.locale = "en-US"
        $0.state = "WA"
      }
      try await body {
        let reasons = try await client.unary(
          request: ClientRequest(message: request),
          descriptor: method,
          serializer: ProtobufSerializer<Kith_Risk_V1_AnalyzeRequest>(),
          deserializer: ProtobufDeserializer<Kith_Risk_V1_AnalyzeResponse>(),
          options: .defaults
        ) { response in
          try response.message.reasons.count
        }
        precondition(reasons == 3, "the peer answered something else")
      }
    }
  }

  private struct Service: RegistrableRPCService {
    let handler: @Sendable (String) -> Int

    func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
      router.registerHandler(
        forMethod: method,
        deserializer: ProtobufDeserializer<Kith_Risk_V1_AnalyzeRequest>(),
        serializer: ProtobufSerializer<Kith_Risk_V1_AnalyzeResponse>()
      ) { [handler] request, _ in
        var text = ""
        for try await message in request.messages { text = message.text }
        let answer = Kith_Risk_V1_AnalyzeResponse.with {
          $0.score = 0.91
          $0.score100 = 91
          $0.level = .high
          $0.label = .likelyScam
          $0.reasons = (0..<handler(text)).map { index in
            .with {
              $0.signal = "gift_card_payment"
              $0.sentence = "Nobody official asks to be paid in gift cards."
              $0.share = 0.5
              $0.span = .with {
                $0.start = UInt32(index)
                $0.end = UInt32(index + 9)
              }
            }
          }
        }
        return StreamingServerResponse(single: ServerResponse(message: answer))
      }
    }
  }
}
