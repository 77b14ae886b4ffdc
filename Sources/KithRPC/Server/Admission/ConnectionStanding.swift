/// What a server knows of one of its connections when it looks for one that can go.
struct ConnectionStanding {
  /// Counts the connections in the order in which they came.
  var arrival: UInt64
  /// Whether the other side has said hello.
  var hasGreeted: Bool
  /// Whether a handler runs for it, or an answer waits to be written.
  var isBusy: Bool
  /// When something came from it last.
  var lastHeard: Moment
  /// Whether its caller has proved who it is.
  var isTrusted: Bool
}

extension [ConnectionStanding] {
  /// The connection that is to go when all `limit` places are taken and another one comes; nil when
  /// the newcomer is to be turned away.
  ///
  /// Connections that have said nothing go first, then those that are idle, the oldest first. Where
  /// all strangers are busy, `kept` places are not theirs to keep: of the strangers that came last,
  /// the first one of those that sit there goes, so that a newcomer gets the time to prove who it
  /// is. Who has proved that goes only when it is idle, after all others, and where more than
  /// `kept` have.
  func firstToGo(limit: Int, kept: Int) -> Int? {
    let strangers = indices.filter { !self[$0].isTrusted }
    if let silent = strangers.filter({ !self[$0].hasGreeted }).min(by: cameBefore) {
      return silent
    }
    if let idle = strangers.filter({ !self[$0].isBusy }).min(by: spokeBefore) { return idle }
    let settled = limit - kept
    if strangers.count > settled { return strangers.sorted(by: cameBefore)[Swift.max(0, settled)] }
    let proven = indices.filter { self[$0].isTrusted }
    guard proven.count > kept else { return nil }
    return proven.filter { !self[$0].isBusy }.min(by: spokeBefore)
  }

  private func cameBefore(_ left: Int, _ right: Int) -> Bool {
    self[left].arrival < self[right].arrival
  }

  private func spokeBefore(_ left: Int, _ right: Int) -> Bool {
    (self[left].lastHeard, self[left].arrival) < (self[right].lastHeard, self[right].arrival)
  }
}
