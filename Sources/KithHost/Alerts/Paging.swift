/// The programs that send alerts, and which of them failed.
struct Paging {
  /// Those that run, by their pids: children of the host beside its workers.
  private(set) var running: Set<Int32> = []
  /// What went wrong with the last page, by the way that it was sent.
  private var troubleByWay: [String: String] = [:]

  /// What went wrong, for people.
  var troubles: [String] { troubleByWay.values.sorted() }

  mutating func started(_ pid: Int32) { running.insert(pid) }
  mutating func ended(_ pid: Int32) { running.remove(pid) }

  /// A page was sent by this way.
  mutating func sent(by way: PagerCommand) { troubleByWay[way.name] = nil }

  /// A page could not be sent by this way.
  mutating func failed(by way: PagerCommand, _ trouble: String) {
    troubleByWay[way.name] = trouble
  }
}
