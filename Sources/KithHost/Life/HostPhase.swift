/// Where a host is in its life, with what is there only then.
enum HostPhase {
  /// Nothing has been started. `shutdownReason` is set if a shutdown was asked for this early; it
  /// begins with the run. Next: `running`.
  case prepared(Preparation, shutdownReason: String?)
  /// The control socket is served and the workers are led. Next: `ending`, `becoming`.
  case running(ControlSocket)
  /// The workers are being ended. The last one of a host that ends.
  case ending(Shutdown)
  /// This process is about to become another program: no event is handled any more. The last one of
  /// a host that is upgraded.
  case becoming(HostProgram)

  /// What was found before the run.
  struct Preparation {
    /// What an earlier host left.
    var adoption: Adoption
    /// Where a damaged file of the desired state was put; nil when there was none.
    var damagedDesiredState: String?
  }

  /// The end of the host and its workers.
  struct Shutdown {
    /// How many processes ran when it began.
    let workersEnded: UInt32
    /// How many of them were sent SIGKILL.
    private(set) var workersKilled: UInt32 = 0
    /// Why the host ends though nobody asked for it; nil when somebody did. The first failure
    /// stands.
    private(set) var failure: HostFailure?

    init(ending processes: Int, because failure: HostFailure?) {
      workersEnded = UInt32(clamping: processes)
      self.failure = failure
    }

    mutating func killed() { workersKilled += 1 }

    /// Notes why the host cannot go on; false when a failure is known already.
    mutating func fail(_ failure: HostFailure) -> Bool {
      guard self.failure == nil else { return false }
      self.failure = failure
      return true
    }
  }

  /// Whether the workers are being ended.
  var isEnding: Bool { shutdown != nil }

  /// The shutdown; nil as long as there is none.
  var shutdown: Shutdown? {
    if case .ending(let shutdown) = self { shutdown } else { nil }
  }

  /// The program that this process is about to become; nil when there is none.
  var successor: HostProgram? {
    if case .becoming(let program) = self { program } else { nil }
  }
}
