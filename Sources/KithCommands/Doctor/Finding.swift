import KithJSON

/// What `kith doctor` found of one thing.
struct Finding: Equatable {
  /// How it is.
  enum State: String, CaseIterable {
    /// As it should be.
    case ok
    /// Kith goes on; somebody should know.
    case notice
    /// Somebody must do something.
    case action

    /// As a person reads it.
    var word: String { self == .action ? "ACTION" : rawValue }
  }

  /// What was looked at: `host`, `disk`, `sandbox`.
  let check: String
  /// How it is.
  let state: State
  /// What was found.
  let text: String
  /// What to do about it. Empty where there is nothing to do.
  let remedy: String

  init(_ check: String, _ state: State = .ok, _ text: String, remedy: String = "") {
    self.check = check
    self.state = state
    self.text = text
    self.remedy = remedy
  }

  /// As `--json` writes it.
  var json: JSONValue {
    var object: JSONObject = [
      "check": .string(check), "state": .string(state.rawValue), "text": .string(text),
    ]
    if !remedy.isEmpty { object["remedy"] = .string(remedy) }
    return .object(object)
  }
}
