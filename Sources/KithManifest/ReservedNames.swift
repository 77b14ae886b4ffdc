/// Names that no worker may have.
public enum ReservedNames {
  /// The words that `kith` takes for commands of its own: a worker of such a name could not be
  /// reached by its verbs.
  ///
  /// The command line knows its commands and this module may not import it; a test there keeps the
  /// two equal.
  public static let commands: Set<String> = [
    "alerts", "apply", "backup", "call", "clock", "complete", "completion", "demo", "describe",
    "doctor", "down",
    "erase", "events", "exit-codes", "export", "help", "log-level", "logs", "plan", "plugin",
    "restart", "restore", "rotate-key", "start", "status", "stop", "top", "up", "upgrade", "why",
  ]

  /// The words that name the host's own files: `host.sock`, `kithd.log`.
  static let host: Set<String> = ["host", "kithd"]
}
