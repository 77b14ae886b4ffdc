import KithRPC

/// An address that nng understands, checked before nng sees it.
struct NngAddress {
  /// How bytes get there.
  enum Kind: Equatable {
    /// A unix socket at the given path.
    case ipc(path: String)
    /// Plain tcp: anybody on the way can read and change what is said.
    case tcp
    /// tcp within TLS, to the given host.
    case tls(host: String)
  }

  /// The most bytes of a unix socket's path: `sun_path` has 108, one of them for the NUL at its
  /// end.
  static let maximumPathBytes = 107

  /// The address as nng takes it: `ipc:///run/user/1000/kith/milo/host.sock`,
  /// `tls+tcp://milo.local:7443`.
  let url: String
  let kind: Kind

  /// Checks an address.
  ///
  /// - Throws: INVALID_ARGUMENT that says what is wrong with it and what to do.
  init(_ url: String) throws(RPCError) {
    self.url = url
    if let rest = Self.rest(of: url, behind: "ipc://") {
      kind = .ipc(path: try Self.path(rest, of: url))
    } else if let rest = Self.rest(of: url, behind: "tls+tcp://") {
      kind = .tls(host: try Self.host(rest, of: url))
    } else if let rest = Self.rest(of: url, behind: "tcp://") {
      _ = try Self.host(rest, of: url)
      kind = .tcp
    } else {
      throw RPCError(
        .invalidArgument,
        "the address '\(url)' starts with none of ipc://, tls+tcp:// and tcp://: expected ipc:// and an "
          + "absolute path, or tls+tcp://host:port")
    }
  }

  /// How messages are delimited there.
  var framing: MessageFraming {
    if case .ipc = kind { return .ipc }
    return .tcp
  }

  /// The path of the socket file; nil where there is none.
  var path: String? {
    if case .ipc(let path) = kind { return path }
    return nil
  }

  /// What a person would call it.
  var place: String { path ?? url }

  private static func rest(of url: String, behind scheme: String) -> String? {
    url.hasPrefix(scheme) ? String(url.dropFirst(scheme.count)) : nil
  }

  private static func path(_ path: String, of url: String) throws(RPCError) -> String {
    guard path.hasPrefix("/"), !path.hasSuffix("/"), !path.utf8.contains(0) else {
      throw RPCError(
        .invalidArgument,
        "the address '\(url)' has no absolute path of a socket file: expected ipc:///folder/name.sock"
      )
    }
    let length = path.utf8.count
    guard length <= maximumPathBytes else {
      let split = path.lastIndex(of: "/") ?? path.startIndex
      let folder = path[..<split]
      let name = path[split...].dropFirst()
      let room = maximumPathBytes - name.utf8.count - 1
      throw RPCError(
        .invalidArgument,
        "the socket path has \(length) bytes, and a unix socket's path has at most "
          + "\(maximumPathBytes): the folder '\(folder)' has \(folder.utf8.count) bytes, use one "
          + "with at most \(room) for '\(name)'")
    }
    return path
  }

  private static func host(_ rest: String, of url: String) throws(RPCError) -> String {
    guard let colon = rest.lastIndex(of: ":"), UInt16(rest[colon...].dropFirst()) != nil,
      colon > rest.startIndex, !rest.utf8.contains(0), !rest.contains("/")
    else {
      throw RPCError(
        .invalidArgument,
        "the address '\(url)' has no host and port: expected \(url.prefix { $0 != ":" })://host:port"
      )
    }
    let host = rest[..<colon]
    return host.hasPrefix("[") && host.hasSuffix("]")
      ? String(host.dropFirst().dropLast()) : String(host)
  }
}
