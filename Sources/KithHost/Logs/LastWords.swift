/// What a process wrote last to its standard error, for its obituary.
struct LastWords: Hashable, Sendable {
  /// How many lines are remembered.
  static let most = 10

  /// The lines, oldest first.
  private(set) var lines: [String] = []
  /// Whether the Swift runtime has passed its verdict: what comes below is a backtrace of hundreds
  /// of lines, which the log has.
  private var isOver = false

  /// Takes the next lines.
  mutating func add(_ more: some Sequence<String>) {
    for line in more where !isOver {
      // The runtime's report of a crash begins so; where the process was ended by its own code,
      // `Fatal error:` stands above.
      if line.contains("Program crashed:") || line.hasPrefix("*** Signal ") { isOver = true }
      lines.append(line)
    }
    lines.removeFirst(max(0, lines.count - Self.most))
  }
}
