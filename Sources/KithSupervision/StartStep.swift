/// The steps from a request to a ready worker, in their order; a process that an earlier host has
/// started begins with `adopt` and goes on with `watch`.
public enum StartStep: Int, Hashable, Sendable, CaseIterable, Comparable {
  /// A process of an earlier host proves who it is, and that it is ready.
  case adopt
  /// The process is created.
  case spawn
  /// The process accepts connections on its socket.
  case listen
  /// Both sides prove who they are and agree on a protocol version.
  case handshake
  /// The worker takes its configuration.
  case configure
  /// The worker starts its services.
  case start
  /// The worker begins to tell how it is, and has told so once.
  case watch

  /// Whether one step comes before another.
  public static func < (one: StartStep, other: StartStep) -> Bool { one.rawValue < other.rawValue }

  /// The step that follows; nil after the last, when the worker is ready.
  public var next: StartStep? { self == .adopt ? .watch : StartStep(rawValue: rawValue + 1) }

  /// What has not happened yet while the worker is in this step, for people.
  var pending: String {
    switch self {
    case .adopt: "it has not proved yet what it is"
    case .spawn: "its process is being created"
    case .listen: "its process does not listen yet"
    case .handshake: "the handshake is not done"
    case .configure: "it has not taken its configuration yet"
    case .start: "it has not said yet that it is ready"
    case .watch: "it has not told yet how it is"
    }
  }
}

/// Why a step of a start did not succeed.
public struct StartFailure: Hashable, Sendable {
  /// What went wrong, for people; starts with a lower-case letter and has no full stop.
  public var reason: String
  /// Whether the same step could succeed another time. A configuration that was refused will be
  /// refused again.
  public var isRetryable: Bool
  /// Whether all that is known is that the line to the process broke: then how the process ends
  /// says more.
  public var isDisconnection: Bool

  /// A failure with its reason.
  public init(reason: String, isRetryable: Bool = true, isDisconnection: Bool = false) {
    self.reason = reason
    self.isRetryable = isRetryable
    self.isDisconnection = isDisconnection
  }

  /// The reason, seen from the end of the process: one that ended by itself in its own way tells
  /// more than its silence.
  func description(with end: ProcessEnd) -> String {
    let endedInItsOwnWay = ![.exitCode(0), .signal(15), .notCreated, .unknown].contains(end)
    return isDisconnection && endedInItsOwnWay ? end.description : reason
  }
}
