public import KithJSON

/// One thing that must be done for a running product to be as its manifest says.
public struct PlannedChange: Sendable, Hashable {
  /// What is done.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The worker gets a process.
    case start
    /// Its process ends, and it is forgotten.
    case stop
    /// A new process takes the place of the one that runs.
    case restart
    /// Its process goes on and takes over another configuration.
    case reconfigure
    /// No process is touched: the host itself does otherwise from now on.
    case adjust

    /// The sign in front of it: `+ - ~ ≈ ·`.
    public var sign: String {
      switch self {
      case .start: "+"
      case .stop: "-"
      case .restart: "~"
      case .reconfigure: "≈"
      case .adjust: "·"
      }
    }
  }

  /// A setting that differs.
  public struct Setting: Sendable, Hashable {
    /// Which, as the manifests have it: `config.label_high`, `limits.memory`.
    public var key: String
    /// What it was; nil where it was not set, `<sensitive>` for what is shown to nobody.
    public var old: String?
    /// What it is to be; nil where it is no longer set, `<sensitive>` for what is shown to nobody.
    public var new: String?

    /// A setting.
    public init(key: String, old: String?, new: String?) {
      self.key = key
      self.old = old
      self.new = new
    }
  }

  /// What is done.
  public var kind: Kind
  /// The worker's name; empty for the product itself.
  public var worker: String
  /// What differs, in the order of the manifests. Empty where a worker is new or gone.
  public var settings: [Setting]
  /// The workers that call it, in start order.
  public var callers: [String]
  /// Whether those callers find nobody for a while.
  public var callersWait: Bool

  /// A change.
  public init(
    _ kind: Kind, worker: String = "", settings: [Setting] = [], callers: [String] = [],
    callersWait: Bool = false
  ) {
    self.kind = kind
    self.worker = worker
    self.settings = settings
    self.callers = callers
    self.callersWait = callersWait
  }

  /// What it is done to: the worker's name, or `the product`.
  public var subject: String { worker.isEmpty ? "the product" : worker }

  /// The change for a person: a line with its sign, and one for each setting and for the callers.
  public var lines: [String] {
    var lines = ["\(kind.sign) \(kind.rawValue) \(subject)"]
    for setting in settings {
      let (old, new) = (setting.old ?? "unset", setting.new ?? "unset")
      lines.append("    \(setting.key): \(old == new ? "\(old), changed" : "\(old) -> \(new)")")
    }
    if !callers.isEmpty {
      lines.append(
        "    called by \(callers.joined(separator: ", "))\(callersWait ? ", held meanwhile" : "")")
    }
    return lines
  }

  /// The change as JSON for `--json` output.
  public var json: JSONValue {
    [
      "kind": .string(kind.rawValue), "worker": .string(worker),
      "settings": .array(
        settings.map { setting in
          var object: JSONObject = ["key": .string(setting.key)]
          if let old = setting.old { object["old"] = .string(old) }
          if let new = setting.new { object["new"] = .string(new) }
          return .object(object)
        }),
      "callers": .array(callers.map { .string($0) }), "callersWait": .bool(callersWait),
    ]
  }
}
