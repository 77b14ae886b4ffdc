public import KithTime

/// The words of the messages: short, without the person's name, in plain characters.
public struct AlertWording: Sendable, Hashable {
  /// What a message says.
  public struct Text: Sendable, Hashable {
    /// Its title, or a mail's subject; empty for a text message.
    public var title: String
    /// Its text.
    public var body: String
  }

  /// What the message is about.
  public var kind: AlertKind
  /// What it is for.
  public var purpose: LadderStep.Purpose
  /// When it happened.
  public var at: Instant
  /// The zone of the person whom it is about.
  public var zone: Zone
  /// What happened, in words that the contact may read; empty for those of the kind.
  public var summary: String
  /// What was said at the end, for the all-clear; empty for the usual words.
  public var note: String
  /// What is left in the device's battery, 0 to 1.
  public var battery: Double?
  /// Where it happened, if the contact may know.
  public var place: AlertPlace?
  /// The link or the code by which the contact acknowledges; empty for none.
  public var link: String
  /// Whether somebody has acknowledged before, and it is still not over.
  public var isAgain: Bool

  /// The words of a message.
  public init(
    kind: AlertKind, purpose: LadderStep.Purpose, at: Instant, zone: Zone, summary: String = "",
    note: String = "", battery: Double? = nil, place: AlertPlace? = nil, link: String = "",
    isAgain: Bool = false
  ) {
    self.kind = kind
    self.purpose = purpose
    self.at = at
    self.zone = zone
    self.summary = ShortText.plain(summary)
    self.note = ShortText.plain(note)
    self.battery = battery
    self.place = place
    self.link = link
    self.isAgain = isAgain
  }

  /// The text for a channel. A text message is one segment where that can be: first the words that
  /// count, then as much of the rest as fits.
  public func text(for channel: ContactChannel) -> Text {
    guard channel == .sms else {
      return Text(
        title: title, body: ([firstSentence] + details + [request]).joined(separator: " "))
    }
    let must = [firstSentence, purpose == .allClear ? "" : "Reply OK if you are looking after it."]
    var parts: [String] = []
    for detail in details {
      let longer = ([must[0]] + parts + [detail, must[1]]).filter { !$0.isEmpty }
      if ShortText.segments(of: longer.joined(separator: " ")) == 1 { parts.append(detail) }
    }
    return Text(
      title: "", body: ([must[0]] + parts + [must[1]]).filter { !$0.isEmpty }.joined(separator: " ")
    )
  }

  private var title: String {
    switch (purpose, kind) {
    case (.allClear, _): "All clear"
    case (.nobodyAnswered, _): "Nobody has answered yet"
    case (.alert, .fall): "Possible fall"
    case (.alert, .missedReminder): "A reminder was missed"
    case (.alert, .scamShared): "A suspected scam"
    }
  }

  private var firstSentence: String {
    let time = "at \(clock)"
    switch (purpose, kind) {
    case (.alert, .fall):
      return isAgain
        ? "The fall alert of \(clock) is not over yet." : "A fall was detected \(time)."
    case (.alert, .missedReminder): return "A medicine reminder \(time) was not answered."
    case (.alert, .scamShared): return "A suspected scam was shared with you \(time)."
    case (.nobodyAnswered, .fall):
      return "Nobody has answered the fall alert of \(clock). Please call, or call for help."
    case (.nobodyAnswered, .missedReminder):
      return "Nobody has answered about the medicine reminder of \(clock)."
    case (.nobodyAnswered, .scamShared):
      return "Nobody has answered about the suspected scam of \(clock)."
    case (.allClear, .fall):
      return "All clear: the fall alert of \(clock) is over."
    case (.allClear, .missedReminder):
      return "All clear: the medicine reminder of \(clock) was answered."
    case (.allClear, .scamShared):
      return "All clear: the suspected scam of \(clock) is dealt with."
    }
  }

  private var details: [String] {
    if purpose == .allClear { return note.isEmpty ? [] : [Self.sentence(note)] }
    var details: [String] = []
    if let place { details.append("Place: \(place.link)") }
    if !summary.isEmpty { details.append(Self.sentence(summary)) }
    if let battery, battery < 0.2 {
      details.append("Battery: \(Int((battery * 100).rounded()))%.")
    }
    return details
  }

  private var request: String {
    if purpose == .allClear { return "You need not do anything." }
    return link.isEmpty ? "Please look after it." : "If you are looking after it: \(link)"
  }

  /// The time on the person's wall: `3:05 PM their time`.
  private var clock: String {
    let time = zone.civil(at: at).time
    let hour = time.hour % 12 == 0 ? 12 : time.hour % 12
    let minute = time.minute < 10 ? "0\(time.minute)" : "\(time.minute)"
    return "\(hour):\(minute) \(time.hour < 12 ? "AM" : "PM") their time"
  }

  private static func sentence(_ text: String) -> String {
    text.last.map { ".!?".contains($0) } ?? true ? text : "\(text)."
  }
}
