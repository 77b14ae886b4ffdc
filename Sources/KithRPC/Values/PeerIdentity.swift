/// Who is at the other end of a connection, as the kernel tells it. Each part is nil where the transport does not know.
public struct PeerIdentity: Sendable, Hashable {
  /// The user id of the process that connected.
  public var uid: UInt32?
  /// Its group id.
  public var gid: UInt32?
  /// Its process id, at the time of the connection.
  public var pid: Int32?
  /// Whether it has shown a certificate that an authority of this side has signed.
  public var hasCertificate: Bool

  /// A peer of which the given parts are known.
  public init(
    uid: UInt32? = nil, gid: UInt32? = nil, pid: Int32? = nil, hasCertificate: Bool = false
  ) {
    self.uid = uid
    self.gid = gid
    self.pid = pid
    self.hasCertificate = hasCertificate
  }
}
