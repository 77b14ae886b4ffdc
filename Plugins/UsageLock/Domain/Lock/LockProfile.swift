public import KithTime

/// What a person has decided about their apps.
public struct LockProfile: Sendable, Hashable {
  /// An app that a profile names.
  public struct App: Sendable, Hashable {
    /// As devices report it.
    public var id: String
    /// What to call it.
    public var name: String
    /// How it is locked; nil for as the profile says.
    public var mode: LockMode?

    /// An app.
    public init(id: String, name: String = "", mode: LockMode? = nil) {
      self.id = id
      self.name = name
      self.mode = mode
    }
  }

  /// How apps are locked that say nothing else; never ``LockMode/alwaysOpen``.
  public var mode: LockMode
  /// How much of a day guarded apps may be used.
  public var dailyBudget: Duration
  /// How long a window in an hour is.
  public var window: Duration
  /// Whether it is always at the begin of the hour.
  public var isAnchored: Bool
  /// The IANA zone of its days and hours.
  public var zone: String
  /// When a day begins.
  public var startOfDay: CivilTime
  /// The apps, by their ids.
  public var apps: [App]
  /// The sentence of the extreme mode.
  public var sentence: String
  /// How exactly it has to be said.
  public var strictness: Strictness
  /// How often more time may be had in a day.
  public var extrasPerDay: Int
  /// How much it is each time.
  public var extra: Duration
  /// By how much a window is shorter that a typed sentence opens.
  public var typedPenalty: Duration
  /// For how long an emergency pass opens everything.
  public var pass: Duration
  /// Whether there are no emergency passes.
  public var isWithoutPass: Bool
  /// What is done to locked programs of this machine.
  public var enforcement: Enforcement

  /// A profile.
  public init(
    mode: LockMode = .dailyBudget, dailyBudget: Duration = .seconds(1800),
    window: Duration = .seconds(900), isAnchored: Bool = false, zone: String = "UTC",
    startOfDay: CivilTime = .midnight, apps: [App] = [], sentence: String = PhraseGate.standard,
    strictness: Strictness = .normal, extrasPerDay: Int = 0, extra: Duration = .seconds(600),
    typedPenalty: Duration = .seconds(300), pass: Duration = .seconds(300),
    isWithoutPass: Bool = false, enforcement: Enforcement = .freeze
  ) {
    self.mode = mode
    self.dailyBudget = dailyBudget
    self.window = window
    self.isAnchored = isAnchored
    self.zone = zone
    self.startOfDay = startOfDay
    self.apps = apps
    self.sentence = sentence
    self.strictness = strictness
    self.extrasPerDay = extrasPerDay
    self.extra = extra
    self.typedPenalty = typedPenalty
    self.pass = pass
    self.isWithoutPass = isWithoutPass
    self.enforcement = enforcement
  }

  /// How an app is locked; ``LockMode/alwaysOpen`` for one that it does not name.
  public func mode(of app: String) -> LockMode {
    guard let known = apps.first(where: { $0.id == app }) else { return .alwaysOpen }
    return known.mode ?? mode
  }

  /// The gate of the sentence.
  public var gate: PhraseGate {
    PhraseGate(sentence: sentence, minutes: Int(window.components.seconds / 60))
  }
}
