import Synchronization

/// The zones of the system's tzdata, each read once for an edition. Safe to use from any task.
public final class Zones: Sendable {
  private struct State {
    var edition: String
    var zones: [String: Zone] = [:]
  }

  /// More names than there are zones are never kept.
  private static let mostKept = 1000

  private let files: ZoneFiles
  private let state: Mutex<State>

  /// The zones below a folder.
  public init(_ files: ZoneFiles = ZoneFiles()) {
    self.files = files
    state = Mutex(State(edition: files.version() ?? ""))
  }

  /// The edition of tzdata that counts: `2026a`; empty when the system does not say.
  public var edition: String { state.withLock(\.edition) }

  /// Looks whether the system has another edition; from then on that one counts.
  public func refresh() {
    let edition = files.version() ?? ""
    state.withLock { state in
      if state.edition != edition { state = State(edition: edition) }
    }
  }

  /// The zone of an IANA name.
  /// - Throws: `ZoneError`, which repeats no more than the name.
  public func zone(named name: String) throws(ZoneError) -> Zone {
    if let zone = state.withLock({ $0.zones[name] }) { return zone }
    let zone = try files.zone(named: name)
    state.withLock { state in
      if state.zones.count < Self.mostKept { state.zones[name] = zone }
    }
    return zone
  }
}
