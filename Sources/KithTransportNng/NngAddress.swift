import KithRPC

/// An address that nng understands, checked before nng sees it.
struct NngAddress {
  /// The most bytes of a unix socket's path: `sun_path` has 108, one of them for the NUL at its end.
  static let maximumPathBytes = 107

  /// The address as nng takes it: `ipc:///run/user/1000/kith/milo/host.sock`.
  let url: String
  /// The path of the socket file.
  let path: String

  /// Checks an address.
  ///
  /// - Throws: INVALID_ARGUMENT that says what is wrong with it and what to do.
  init(_ url: String) throws(RPCError) {
    let scheme = "ipc://"
    guard url.hasPrefix(scheme) else {
      throw RPCError(
        .invalidArgument,
        "the address '\(url)' does not start with \(scheme): expected ipc:// and an absolute path")
    }
    let path = String(url.dropFirst(scheme.count))
    guard path.hasPrefix("/"), !path.hasSuffix("/"), !path.utf8.contains(0) else {
      throw RPCError(
        .invalidArgument,
        "the address '\(url)' has no absolute path of a socket file: expected ipc:///folder/name.sock"
      )
    }
    let length = path.utf8.count
    guard length <= Self.maximumPathBytes else {
      let split = path.lastIndex(of: "/") ?? path.startIndex
      let folder = path[..<split]
      let name = path[split...].dropFirst()
      let room = Self.maximumPathBytes - name.utf8.count - 1
      throw RPCError(
        .invalidArgument,
        "the socket path has \(length) bytes, and a unix socket's path has at most "
          + "\(Self.maximumPathBytes): the folder '\(folder)' has \(folder.utf8.count) bytes, use one "
          + "with at most \(room) for '\(name)'")
    }
    self.url = url
    self.path = path
  }
}
