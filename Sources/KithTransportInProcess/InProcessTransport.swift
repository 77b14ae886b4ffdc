import Glibc
public import KithRPC
import Synchronization

/// A transport within one process, for tests: bytes go from one end to the other without a socket,
/// and everything above them (hello, frames, calls, limits) is the real thing.
///
///     let transport = InProcessTransport()
///     try server.start(on: transport.listener)
///     let client = RPCClient(connector: transport.connector)
public final class InProcessTransport: Sendable {
  private let place: InProcessPlace

  /// A transport with no listener yet, whose ends read at most `maximumReadBytes` at a time: a
  /// small number cuts frames into pieces.
  public init(maximumReadBytes: Int = 64 << 10) {
    place = InProcessPlace(maximumReadBytes: max(1, maximumReadBytes))
  }

  /// Where a server listens. Each use is a new listener; one at a time can be started.
  public var listener: any Listener { InProcessListener(place: place) }

  /// Where a client connects.
  public var connector: any Connector { InProcessConnector(place: place) }
}

/// What the listener and the connectors of one transport share.
final class InProcessPlace: Sendable {
  struct Started {
    var listener: ObjectIdentifier
    var accept: @Sendable (any ByteStream) -> Void
  }

  let maximumReadBytes: Int
  let started = Mutex<Started?>(nil)

  init(maximumReadBytes: Int) { self.maximumReadBytes = maximumReadBytes }
}

final class InProcessListener: Listener {
  private let place: InProcessPlace

  init(place: InProcessPlace) { self.place = place }

  var address: String { "inprocess" }

  func start(accept: @escaping @Sendable (any ByteStream) -> Void) throws(RPCError) {
    let isFree = place.started.withLock { started in
      guard started == nil else { return false }
      started = InProcessPlace.Started(listener: ObjectIdentifier(self), accept: accept)
      return true
    }
    guard isFree else {
      throw RPCError(.alreadyExists, "another server listens on this in-process transport")
    }
  }

  func close() {
    place.started.withLock { started in
      if started?.listener == ObjectIdentifier(self) { started = nil }
    }
  }
}

struct InProcessConnector: Connector {
  let place: InProcessPlace

  func connect(_ request: ConnectRequest) async throws(RPCError) -> EstablishedConnection {
    guard let accept = place.started.withLock({ $0?.accept }) else {
      throw RPCError(.unavailable, "no server listens on this in-process transport")
    }
    let identity = PeerIdentity(uid: geteuid(), gid: getegid(), pid: getpid())
    let (ours, theirs) = InProcessStream.pair(
      peer: identity, maximumReadBytes: place.maximumReadBytes)
    accept(theirs)
    return EstablishedConnection(stream: ours)
  }
}
