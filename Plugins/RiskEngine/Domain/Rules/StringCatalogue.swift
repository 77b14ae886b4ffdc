/// Every sentence that a verdict shows to a person, in one language. Another language is another
/// file.
public struct StringCatalogue: Codable, Sendable {
  /// Something to do.
  public struct Action: Codable, Sendable, Hashable {
    /// What, one sentence.
    public var title: String
    /// How, step by step.
    public var steps: [String]
  }

  /// The language, the first part of a BCP 47 tag.
  public var language: String
  /// The version of the sentences.
  public var version: String
  /// What a signal means, by its name; `model` for the text model's own evidence.
  /// `{sender|a known firm}` stands for the sender that it is about, and for what is behind the bar
  /// when none is known.
  public var signals: [String: String]
  /// What to do, by the kind of scam; `low` when nothing speaks for one, `unsure` when little is
  /// known, `other` for kinds without their own.
  public var actions: [String: [Action]]
  /// What comes behind the actions of every kind but `low`.
  public var always: [Action]
  /// What a contact is for, by its id; `state` for the offices of the states.
  public var purposes: [String: String]
  /// What a verdict is not.
  public var legalNote: String

  private enum CodingKeys: String, CodingKey {
    case language, version, signals, actions, always, purposes
    case legalNote = "legal_note"
  }

  /// The sentence of a signal, about a sender when one is given.
  public func sentence(for signal: String, about sender: String?) -> String {
    let sentence = signals[signal] ?? ""
    // Few sentences have a gap, and every answer has several sentences.
    guard let open = sentence.utf8.firstIndex(of: UInt8(ascii: "{")),
      let bar = sentence[open...].utf8.firstIndex(of: UInt8(ascii: "|")),
      let close = sentence[bar...].utf8.firstIndex(of: UInt8(ascii: "}"))
    else { return sentence }
    let after = sentence.utf8.index(after: close)
    let other = sentence[sentence.utf8.index(after: bar)..<close]
    return "\(sentence[..<open])\(sender ?? String(other))\(sentence[after...])"
  }

  /// What to do about a kind of scam; nil for a text of a low level, of which the engine may be
  /// sure or not.
  public func actions(for category: ScamCategory?, isSure: Bool = true) -> [Action] {
    guard let category else { return actions[isSure ? "low" : "unsure"] ?? [] }
    return (actions[category.name] ?? actions["other"] ?? []) + always
  }

  /// Checks that nothing is missing.
  ///
  /// - Throws: `RuleFileError` naming the sentence that is missing.
  public func check(_ rules: RuleSet, _ contacts: ContactFile) throws(RuleFileError) {
    func missing(_ what: String) -> RuleFileError {
      RuleFileError(description: "strings of `\(language)`: \(what) has no sentence; write one")
    }
    for signal in rules.signals.map(\.rule.id) + [RiskEngine.modelSignal]
    where signals[signal]?.isEmpty != false {
      throw missing("signal `\(signal)`")
    }
    for contact in contacts.federal where purposes[contact.id]?.isEmpty != false {
      throw missing("contact `\(contact.id)`")
    }
    for name in ["low", "unsure", "other"] where actions[name]?.isEmpty != false {
      throw missing("action `\(name)`")
    }
    guard purposes["state"] != nil, !legalNote.isEmpty else {
      throw missing("contact `state` or `legal_note`")
    }
  }
}
