/// Something that goes wrong in a product under test.
///
/// Each can be lifted, and is at the end of the test; what a killed process had, or a jump of the
/// clock has done, stays.
public enum Fault: Hashable, Sendable {
  /// The worker's process is killed, as by `kill -9`. The host starts the next one.
  case kill(String)
  /// The worker's process stands still, as under a debugger. Its watchdog may have the host replace
  /// it meanwhile.
  case freeze(String)
  /// Each frame takes so much longer, in both directions, one after another.
  case slow(Edge, by: Duration)
  /// One in so many frames is lost half way, and the connection with it: all that a stream can lose
  /// is the rest of it.
  case drop(Edge, oneIn: Int)
  /// One in so many calls is asked for twice, as a plain nng socket does that has waited for too
  /// long.
  case duplicate(Edge, oneIn: Int)
  /// One in so many frames is damaged where the protocol can notice: in its header, its call's
  /// number or the frame's first bytes. The wire has no checksum, since nothing on the way changes
  /// what a unix socket carries.
  case corrupt(Edge, oneIn: Int)
  /// The worker's disk has no room left: really, since it is a small file system of its own, which
  /// ``ProductSetup/smallDisks`` asks for.
  case fullDisk(String)
  /// Somebody sets the wall clock of all workers, forward or back; no time passes. For a product in
  /// virtual time.
  case clockJump(by: Duration)

  var edge: Edge? {
    switch self {
    case .slow(let edge, _), .drop(let edge, _), .duplicate(let edge, _), .corrupt(let edge, _):
      edge
    case .kill, .freeze, .fullDisk, .clockJump: nil
    }
  }
}

/// The way from callers to a worker. The host's own line to it is none of them: nothing here
/// disturbs that.
public struct Edge: Hashable, Sendable {
  /// Who calls.
  public enum Caller: Hashable, Sendable {
    /// Any worker, and the test.
    case anybody
    /// The test itself.
    case test
    /// One worker.
    case worker(String)
  }

  /// Who calls.
  public var caller: Caller
  /// The worker that is called.
  public var worker: String

  /// From one worker to another.
  public init(from caller: String, to worker: String) {
    self.caller = .worker(caller)
    self.worker = worker
  }

  /// From the test, or from anybody, to a worker.
  public init(from caller: Caller = .anybody, to worker: String) {
    self.caller = caller
    self.worker = worker
  }

  func includes(_ caller: Caller, to worker: String) -> Bool {
    self.worker == worker && (self.caller == .anybody || self.caller == caller)
  }
}
