public import KithJSON
public import KithManifest

/// What a worker's program found in its configuration, before anything was started.
public struct ConfigurationVerdict: Sendable, Equatable {
  /// Something that the worker refuses.
  public struct Problem: Sendable, Equatable {
    /// The configuration key; empty for the configuration as a whole.
    public var key: String
    /// What is wrong with it, in one line.
    public var reason: String

    /// A problem.
    public init(key: String, reason: String) {
      self.key = key
      self.reason = reason
    }
  }

  /// How the check ended.
  public enum Outcome: Sendable, Equatable {
    /// The worker takes the configuration.
    case passed
    /// The worker refuses it.
    case refused([Problem])
    /// The program offers no check.
    case notOffered
    /// The program could not be asked, or its answer could not be used: why.
    case unknown(String)
  }

  /// The worker's name.
  public var worker: String
  /// How the check ended.
  public var outcome: Outcome

  /// A verdict.
  public init(worker: String, _ outcome: Outcome) {
    self.worker = worker
    self.outcome = outcome
  }

  /// The most problems of one worker that are shown.
  static let mostProblems = 20
  /// The longest reason that is shown, in characters.
  static let longestReason = 300

  /// The verdict of a program's answer, which is as trustworthy as the program: what is long is
  /// cut, and what no terminal should see becomes a space.
  public init(worker: String, answer: [UInt8]) {
    self.worker = worker
    guard let text = String(validating: answer, as: UTF8.self),
      let object = (try? JSONValue(parsing: text))?.objectValue,
      let isChecked = object["checked"]?.boolValue,
      let problems = object["problems"]?.arrayValue
    else {
      outcome = .unknown("its answer is not the JSON of a configuration check")
      return
    }
    guard isChecked else {
      outcome = .notOffered
      return
    }
    outcome =
      problems.isEmpty
      ? .passed
      : .refused(
        problems.prefix(Self.mostProblems).map { problem in
          Problem(
            key: Self.line(problem["key"]?.stringValue ?? ""),
            reason: Self.line(problem["reason"]?.stringValue ?? "the worker states no reason"))
        })
  }

  private static func line(_ text: String) -> String {
    String(String.UnicodeScalarView(text.prefix(longestReason).unicodeScalars.map(shown)))
  }

  private static func shown(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
      .unassigned:
      " "
    default: scalar
    }
  }
}

// MARK: - Between kithd and kith

extension ConfigurationVerdict {
  /// The verdict on one line.
  public var json: JSONValue {
    var object: JSONObject = ["worker": .string(worker)]
    switch outcome {
    case .passed: object["outcome"] = "passed"
    case .notOffered: object["outcome"] = "notOffered"
    case .unknown(let reason):
      object["outcome"] = "unknown"
      object["reason"] = .string(reason)
    case .refused(let problems):
      object["outcome"] = "refused"
      object["problems"] = .array(
        problems.map { ["key": .string($0.key), "reason": .string($0.reason)] })
    }
    return .object(object)
  }

  /// The verdict of such a line; nil when it is none.
  public init?(_ json: JSONValue) {
    guard let worker = json["worker"]?.stringValue, let outcome = json["outcome"]?.stringValue
    else { return nil }
    self.worker = worker
    switch outcome {
    case "passed": self.outcome = .passed
    case "notOffered": self.outcome = .notOffered
    case "unknown": self.outcome = .unknown(json["reason"]?.stringValue ?? "")
    case "refused":
      self.outcome = .refused(
        (json["problems"]?.arrayValue ?? []).map {
          Problem(key: $0["key"]?.stringValue ?? "", reason: $0["reason"]?.stringValue ?? "")
        })
    default: return nil
    }
  }
}

extension Plan {
  /// What the workers refuse, each at its place in the manifest. A sensitive value is not spoken
  /// of.
  public func errors(of verdicts: [ConfigurationVerdict]) -> [ManifestError] {
    verdicts.flatMap { verdict -> [ManifestError] in
      guard case .refused(let problems) = verdict.outcome,
        let worker = worker(named: verdict.worker)
      else { return [] }
      return problems.map { problem in
        let isKey = worker.configuration[problem.key] != nil
        let subject = isKey ? "'\(problem.key)'" : "the configuration"
        let reason =
          worker.sensitiveKeys.contains(problem.key) ? "its value is refused" : problem.reason
        return ManifestError(
          .configurationRefused, "\(worker.name) refuses \(subject): \(reason)",
          at: isKey
            ? configurationPlaces[worker.name]?[problem.key]
            : configurationPlaces[worker.name]?.worker)
      }
    }
  }

  /// Why a configuration could not be checked, a line for each worker where that is so.
  public func notes(on verdicts: [ConfigurationVerdict]) -> [String] {
    verdicts.compactMap { verdict in
      guard case .unknown(let reason) = verdict.outcome else { return nil }
      return "the configuration of \(verdict.worker) was not checked: \(reason)"
    }
  }
}
