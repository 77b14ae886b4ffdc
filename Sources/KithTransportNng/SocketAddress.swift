import CNng
import Glibc

/// Where the other end of a stream is on the network.
struct SocketAddress {
  /// `192.168.1.7:41234`, or `[fe80::1]:41234`.
  let text: String

  /// The address of the other end; nil where nng does not tell it, or it is no address of the
  /// network.
  init?(nngStream stream: OpaquePointer) {
    var address = nng_sockaddr()
    guard nng_stream_get_addr(stream, NNG_OPT_REMADDR, &address) == 0 else { return nil }
    // Both kinds keep address and port in the order of the network.
    switch address.s_family {
    case UInt16(NNG_AF_INET.rawValue):
      var number = address.s_in.sa_addr
      guard let host = Self.host(AF_INET, &number) else { return nil }
      text = "\(host):\(UInt16(bigEndian: address.s_in.sa_port))"
    case UInt16(NNG_AF_INET6.rawValue):
      var number = address.s_in6.sa_addr
      guard let host = Self.host(AF_INET6, &number) else { return nil }
      text = "[\(host)]:\(UInt16(bigEndian: address.s_in6.sa_port))"
    default: return nil
    }
  }

  private static func host(_ family: Int32, _ number: UnsafeRawPointer) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(family, number, &buffer, socklen_t(buffer.count)) != nil else { return nil }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
