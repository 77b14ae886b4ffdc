/// Who is at the other end of a connection, as the kernel tells it. Each part is nil where the
/// transport does not know.
public struct PeerIdentity: Sendable, Hashable {
  /// The user id of the process that connected.
  public var uid: UInt32?
  /// Its group id.
  public var gid: UInt32?
  /// Its process id, at the time of the connection.
  public var pid: Int32?
  /// Whether it has shown a certificate that an authority of this side has signed.
  public var hasCertificate: Bool
  /// Where on the network it is: `192.168.1.7:41234`; nil on this machine.
  public var address: String?

  /// A peer of which the given parts are known.
  public init(
    uid: UInt32? = nil, gid: UInt32? = nil, pid: Int32? = nil, hasCertificate: Bool = false,
    address: String? = nil
  ) {
    self.uid = uid
    self.gid = gid
    self.pid = pid
    self.hasCertificate = hasCertificate
    self.address = address
  }
}
