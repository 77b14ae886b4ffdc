/// What serves the metrics, and where it could not.
struct MetricsServing {
  /// The server of the manifest that is in force; nil when that has no metrics served.
  private var server: MetricsServer?
  /// Why they are not served at some address.
  private(set) var troubles: [String] = []

  /// Serves with another server from now on. It is to be opened with `open(_:)`.
  mutating func replace(with server: MetricsServer?) {
    self.server?.close()
    self.server = server
    troubles = []
  }

  /// What came of opening a server.
  struct Opening {
    /// What was not known before: an error for each new trouble, or, once, that all are open again.
    var news: [(level: LogRecord.Level, text: String)] = []
    /// Whether there is nothing left to open.
    var isComplete: Bool
  }

  /// Opens the addresses of a server that are not open yet; nil when another one serves by now.
  mutating func open(_ server: MetricsServer) -> Opening? {
    guard server === self.server else { return nil }
    let found = server.open().map { "metrics are not served: \($0)" }
    var opening = Opening(isComplete: found.isEmpty)
    opening.news = found.filter { !troubles.contains($0) }.map { (.error, $0) }
    if found.isEmpty, !troubles.isEmpty { opening.news.append((.notice, "metrics are served")) }
    troubles = found
    return opening
  }
}
