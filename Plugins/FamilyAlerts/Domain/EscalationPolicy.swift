/// Who is told when, and what the plan of the product pays for.
public struct EscalationPolicy: Sendable, Hashable {
  /// One stage of the ladder: messages that go out together.
  public struct Stage: Sendable, Hashable {
    /// How long after the stage before was sent.
    public let delay: Duration
    /// Positions of contacts in their order. Each is told by its next channel that this round has
    /// not used.
    public let positions: Range<Int>

    /// A stage.
    public init(delay: Duration, positions: Range<Int>) {
      self.delay = delay
      self.positions = positions
    }
  }

  /// The stages in their order; the first has no delay.
  public var stages: [Stage]
  /// How often the ladder is begun again when nobody answers; 0 to 3.
  public var repeats: Int
  /// How long after the last stage the ladder begins again, or nobody counts as reached.
  public var answerTime: Duration
  /// How long after an acknowledgement the ladder of a safety incident begins again unless it was
  /// resolved; nil for never.
  public var reescalatesAfter: Duration?
  /// How many contacts the plan includes; at least one is told.
  public var mostContacts: Int
  /// Whether the plan includes text messages.
  public var allowsSMS: Bool
  /// Whether the plan includes the place of a fall.
  public var allowsPlace: Bool

  /// How often a message is attempted.
  public static let mostAttempts = 5
  /// How long a message is attempted: the shortest delay of a stage.
  public static let attemptsWithin = Duration.seconds(120)
  /// After so long a message whose fate is not known counts as failed for the ladder.
  public static let doubtLasts = Duration.seconds(20)
  /// How often an acknowledged incident that nobody resolves is told again.
  public static let mostGenerations = 3
  /// The largest number of repeats.
  public static let mostRepeats = 3

  /// A policy.
  public init(
    stages: [Stage] = EscalationPolicy.standardStages(second: .seconds(120), third: .seconds(300)),
    repeats: Int = 2, answerTime: Duration = .seconds(300),
    reescalatesAfter: Duration? = .seconds(900), mostContacts: Int = 3, allowsSMS: Bool = false,
    allowsPlace: Bool = false
  ) {
    self.stages = stages
    self.repeats = min(max(repeats, 0), Self.mostRepeats)
    self.answerTime = answerTime
    self.reescalatesAfter = reescalatesAfter
    self.mostContacts = max(mostContacts, 1)
    self.allowsSMS = allowsSMS
    self.allowsPlace = allowsPlace
  }

  /// The first contact; then its second channel and the second contact; then all others.
  public static func standardStages(second: Duration, third: Duration) -> [Stage] {
    [
      Stage(delay: .zero, positions: 0..<1), Stage(delay: second, positions: 0..<2),
      Stage(delay: third, positions: 2..<Int.max),
    ]
  }

  /// The contacts that an incident may reach, with the channels that the plan includes.
  ///
  /// The plan takes away channels before it takes away contacts, so that a contact with a free
  /// channel is told where the first one has none. Safety is told by text message where no contact
  /// has a free channel.
  /// - Parameter contacts: all contacts that want messages, in their order.
  public func recipients(of kind: AlertKind, among contacts: [Recipient]) -> [Recipient] {
    let reachable = contacts.filter { !$0.routes.isEmpty }
    let included = reachable.compactMap { contact -> Recipient? in
      var contact = contact
      contact.routes.removeAll { !allowsSMS && !$0.channel.isFree }
      return contact.routes.isEmpty ? nil : contact
    }
    if included.isEmpty && kind.isSafety { return Array(reachable.prefix(1)) }
    return Array(included.prefix(mostContacts))
  }
}
