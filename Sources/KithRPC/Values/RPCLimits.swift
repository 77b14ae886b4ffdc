/// The bounds of a client or a server. Every queue and every size has one.
public struct RPCLimits: Sendable, Equatable {
  /// The most bytes of one request or response. Past it a call fails with RESOURCE_EXHAUSTED; a
  /// frame whose header claims more than a message of this size can need ends its connection, and
  /// no memory is taken for it.
  public var maximumMessageBytes: Int
  /// The most bytes of metadata in one direction of a call, keys and values together.
  public var maximumMetadataBytes: Int
  /// The most calls in progress on one connection; past it RESOURCE_EXHAUSTED.
  public var maximumCallsPerConnection: Int
  /// The most of these that are streams, each of which may hold its credit of messages; past it
  /// RESOURCE_EXHAUSTED.
  public var maximumStreamsPerConnection: Int
  /// The most calls in progress on a server, all connections together; past it RESOURCE_EXHAUSTED.
  /// A call whose request is not complete is not one of them.
  public var maximumCallsPerServer: Int
  /// The most connections that a server holds; past it an idle one is closed to let a new one in,
  /// and the new one where none is idle.
  public var maximumConnections: Int
  /// How many bytes of answers may wait for a peer that does not read before its requests are no
  /// longer read either.
  public var maximumQueuedBytes: Int
  /// How long a peer may take to send its hello.
  public var helloTimeout: Duration
  /// How long a caller may take until a request, or a message of a stream, that it has begun is
  /// complete, and as long again for each 64 KiB of it that have come.
  public var messageTimeout: Duration
  /// How long nothing may come from a worker that owes answers before it is asked for a sign of
  /// life.
  public var keepaliveInterval: Duration
  /// How long it may take to give one before its connection is ended with UNAVAILABLE. A busy
  /// worker gives it at once; only one that is stopped or stuck as a whole does not.
  public var keepaliveTimeout: Duration

  /// 16 MiB a message, 16 KiB of metadata, 1024 calls (256 streams) a connection and 4096
  /// a server, 1024 connections.
  public static let standard = RPCLimits()

  /// The standard limits, save those that are given.
  public init(
    maximumMessageBytes: Int = 16 << 20, maximumMetadataBytes: Int = 16 << 10,
    maximumCallsPerConnection: Int = 1024, maximumStreamsPerConnection: Int = 256,
    maximumCallsPerServer: Int = 4096,
    maximumConnections: Int = 1024, maximumQueuedBytes: Int = 4 << 20,
    helloTimeout: Duration = .seconds(10), messageTimeout: Duration = .seconds(10),
    keepaliveInterval: Duration = .seconds(10), keepaliveTimeout: Duration = .seconds(10)
  ) {
    self.maximumMessageBytes = maximumMessageBytes
    self.maximumMetadataBytes = maximumMetadataBytes
    self.maximumCallsPerConnection = maximumCallsPerConnection
    self.maximumStreamsPerConnection = maximumStreamsPerConnection
    self.maximumCallsPerServer = maximumCallsPerServer
    self.maximumConnections = maximumConnections
    self.maximumQueuedBytes = maximumQueuedBytes
    self.helloTimeout = helloTimeout
    self.messageTimeout = messageTimeout
    self.keepaliveInterval = keepaliveInterval
    self.keepaliveTimeout = keepaliveTimeout
  }

  /// The standard limits, with no more connections than that part of the files which this process
  /// may have open: who connects and says nothing must not leave a process without a descriptor for
  /// its own work.
  public static func connections(inPartOfOpenFiles part: Double) -> RPCLimits {
    let share = max(1, Int(Double(openFileLimit()) * part))
    return RPCLimits(maximumConnections: min(standard.maximumConnections, share))
  }

  /// How many connections only callers that have proved who they are can keep from newcomers.
  var keptConnections: Int { maximumConnections > 1 ? max(1, maximumConnections / 8) : 0 }

  /// The most bytes of one frame: a message, its metadata (whose own framing is small beside the
  /// slack) and the envelope.
  var maximumFrameBytes: Int { maximumMessageBytes + 2 * maximumMetadataBytes + 64 << 10 }
}
