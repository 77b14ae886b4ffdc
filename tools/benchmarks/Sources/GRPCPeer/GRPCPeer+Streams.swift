import GRPCCore
import GRPCNIOTransportHTTP2Posix
import GRPCProtobuf
import SwiftProtobuf

/// A server stream: a `Span` asks for `start` messages of `end` bytes each, and each is a `Reason`
/// with a sentence of that length, as on the Kith side.
extension GRPCPeer {
  static let streamMethod = MethodDescriptor(
    fullyQualifiedService: "kith.benchmark.Streams", method: "Read")

  /// Connects and hands over a closure that reads one stream of so many messages of so many bytes
  /// each.
  public static func withStreams(
    socketPath: String,
    _ body: (_ read: (_ count: Int, _ bytes: Int) async throws -> Void) async throws -> Void
  ) async throws {
    try await withGRPCClient(
      transport: .http2NIOPosix(
        target: .unixDomainSocket(path: socketPath), transportSecurity: .plaintext)
    ) { client in
      try await body { count, bytes in
        let request = Kith_Risk_V1_Span.with {
          $0.start = UInt32(count)
          $0.end = UInt32(bytes)
        }
        let read = try await client.serverStreaming(
          request: ClientRequest(message: request),
          descriptor: streamMethod,
          serializer: ProtobufSerializer<Kith_Risk_V1_Span>(),
          deserializer: ProtobufDeserializer<Kith_Risk_V1_Reason>(),
          options: .defaults
        ) { response in
          var read = 0
          for try await reason in response.messages { read += reason.sentence.utf8.count }
          return read
        }
        precondition(read == count * bytes, "the stream was of another length")
      }
    }
  }

  struct StreamService: RegistrableRPCService {
    func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
      router.registerHandler(
        forMethod: streamMethod,
        deserializer: ProtobufDeserializer<Kith_Risk_V1_Span>(),
        serializer: ProtobufSerializer<Kith_Risk_V1_Reason>()
      ) { request, _ in
        var wanted = Kith_Risk_V1_Span()
        for try await message in request.messages { wanted = message }
        return StreamingServerResponse { [wanted] writer in
          let reason = Kith_Risk_V1_Reason.with {
            $0.sentence = String(repeating: "x", count: Int(wanted.end))
          }
          for _ in 0..<wanted.start { try await writer.write(reason) }
          return [:]
        }
      }
    }
  }
}
