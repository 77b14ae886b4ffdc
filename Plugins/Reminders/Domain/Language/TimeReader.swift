public import KithTime

/// Reads times out of plain English: "Pills at 8 pm", "every weekday at 7:30 take the blue pill",
/// "in 20 minutes".
///
/// A grammar, no model and no clock: the same text, reference, zone and options always give the
/// same. It knows what duckling's English corpus and people's reminders say; what it is not sure to
/// understand is not claimed, since a reminder at a wrong time is worse than a question. A reader
/// may be used from many threads at once.
public struct TimeReader: Sendable {
  /// What a reader must be told about who speaks.
  public struct Options: Sendable, Hashable {
    /// Whose English it is: of 2/3 and Thanksgiving each country thinks its own.
    public var region: Region

    /// American unless told.
    public init(region: Region = .unitedStates) { self.region = region }
  }

  private let now: CivilDateTime
  private let offset: Int
  private let options: Options

  /// A reader for somebody who speaks at an instant, in a zone.
  public init(reference: Instant, zone: Zone, options: Options = Options()) {
    now = zone.civil(at: reference)
    offset = zone.offset(at: reference)
    self.options = options
  }

  /// What a text says about time; nil where it says nothing, or nothing that is understood for
  /// sure.
  ///
  /// Texts of more than 2,048 bytes are read up to there.
  public func read(_ text: String) -> Reading? {
    let bytes = Array(text.utf8)
    let tokens = Tokenizer.tokens(of: bytes)
    if tokens.isEmpty { return nil }
    let parser = Parser(
      tokens: tokens, now: now, region: options.region, offset: offset)
    let phrase = parser.phrase()
    if phrase.isEmpty || phrase.isBroken { return nil }
    if parser.hasMisleadingRest(phrase) { return nil }
    if !phrase.isStrong, !parser.coversAll(phrase) { return nil }
    guard let (meaning, alternatives) = parser.meaning(of: phrase) else { return nil }
    let spans = parser.spans(of: phrase)
    return Reading(
      meaning: meaning, certainty: alternatives.isEmpty ? .certain : .ambiguous,
      alternatives: alternatives, text: Self.rest(of: bytes, without: spans), spans: spans)
  }

  /// The text without some parts: their spaces become one, and signs that stood beside them go.
  private static func rest(of bytes: [UInt8], without spans: [Range<Int>]) -> String {
    var rest: [UInt8] = []
    var index = 0
    for span in spans {
      rest += bytes[index..<span.lowerBound]
      rest.append(UInt8(ascii: " "))
      index = span.upperBound
    }
    rest += bytes[index...]
    let words = rest.split { $0 <= 32 }
      .filter { !($0.count == 1 && ",.;:-()".utf8.contains($0[$0.startIndex])) }
    return String(decoding: Array(words.joined(separator: [UInt8(ascii: " ")])), as: UTF8.self)
  }
}

extension Parser {
  /// Whether a word was left that says that the time is not what it seems:
  /// `the closest christmas to today`, `every hour until the bell rings`.
  func hasMisleadingRest(_ phrase: Phrase) -> Bool {
    let misleading: KeywordSet =
      phrase.recurrence == nil
      ? [.closest, .weekdays, .every, .except, .than, .until]
      : [.until, .except, .starting, .every, .weekdays]
    // "every year on my birthday"
    let isOpen = phrase.recurrence.map { $0.rule.frequency != .daily && !$0.saysDays } ?? false
    if phrase.covered.contains(where: { goesOn($0, phrase) }) { return true }
    // A course of a medicine: "at 9 for 7 days" is not once.
    if phrase.recurrence == nil, !phrase.clocks.isEmpty, phrase.length?.seconds == 0 { return true }
    if tokens.indices.contains(where: { leavesTimeUnread($0, phrase) }) { return true }
    return tokens.indices.contains { index in
      (misleading.contains(keyword(index)) || isOpen && keyword(index) == .on)
        && !phrase.covered.contains { $0.contains(index) }
    }
  }

  /// Whether a word that was left belongs to a time which was not understood, so that what was read
  /// is not what was said: `Feb 30`, `8 pm for 7 days`, `3 pm London time`, `not on Sunday`.
  private func leavesTimeUnread(_ index: Int, _ phrase: Phrase) -> Bool {
    func isRead(_ index: Int) -> Bool { phrase.covered.contains { $0.contains(index) } }
    if isRead(index) { return false }
    let next = skipping([.on, .at, .in, .the], from: index + 1)
    switch text(index) {
    case "through", "thru", "not", "skip", "without": return isRead(next)
    case "times": return isRead(index - 1) && isNumber(index - 1)
    // "3 pm London time"
    case "time": return index >= 2 && !isRead(index - 1) && isRead(index - 2)
    case "or": return isRead(index - 1) && ["today", "tomorrow", "tonight"].contains(text(next))
    default: break
    }
    // "31/12", "25:00", "8:75"
    if isSign(index, "/") || isSign(index, ":"), isNumber(index - 1), isNumber(index + 1),
      isAdjacent(index), isAdjacent(index + 1)
    {
      // Half a pill is no date.
      return isSign(index, ":") || max(tokens[index - 1].value, tokens[index + 1].value) > 12
    }
    // "Feb 30", "April 31", "on the 32nd"
    if lexeme(index).month > 0 {
      return [index - 1, skipping([.the], from: index + 1)].contains { isNumber($0) && !isRead($0) }
    }
    return isNumber(index) && text(index - 1) == "the" && keyword(index - 2) == .on
  }

  /// Whether a time goes on where its reading ended: `monday and thursday`, `at 5:30 or 6`,
  /// `an hour before midnight`.
  private func goesOn(_ range: Range<Int>, _ phrase: Phrase) -> Bool {
    func isRead(_ index: Int) -> Bool { phrase.covered.contains { $0.contains(index) } }
    let relations: KeywordSet = [.before, .after, .from]
    let start = range.lowerBound
    let word = relations.contains(keyword(start)) ? start : start - 1
    if phrase.recurrence == nil, relations.contains(keyword(word)), lexeme(word - 1).unit != nil,
      !isRead(word - 1)
    {
      return true
    }
    if lexeme(start - 1).weekday > 0, !isRead(start - 1),
      !lexeme(start - 1).isWeak || lexeme(start).weekday > 0
    {
      return true
    }
    let end = range.upperBound
    if isRead(end) { return false }
    // "monday week" is a week later, "saturday 10-12" a part of it.
    if text(end) == "week" || isNumber(end) && isSign(end + 1, "-") && isNumber(end + 2) {
      return true
    }
    let joined =
      keyword(end) == .and || text(end) == "or" || isSign(end, ",") || isSign(end, "/")
      || lexeme(end).weekday > 0
    guard joined else { return false }
    let next = lexeme(end).weekday > 0 ? end : skipping([.at, .in, .on, .the], from: end + 1)
    let parts: KeywordSet = [.morning, .afternoon, .evening, .night, .lunch, .dinner, .bedtime]
    return !isRead(next)
      && (lexeme(next).weekday > 0 || parts.contains(keyword(next))
        || keyword(end) == .and && clock(next).map { !$0.value.isLatent } == true
        || text(end) == "or" && isNumber(next))
  }

  /// Whether nothing but the time is in the text.
  func coversAll(_ phrase: Phrase) -> Bool {
    var index = 0
    for range in phrase.covered {
      while index < range.lowerBound {
        guard tokens[index].kind == .sign || Self.links.contains(keyword(index)) else {
          return false
        }
        index += 1
      }
      index = range.upperBound
    }
    return tokens[index...].allSatisfy { $0.kind == .sign }
  }

  /// The bytes of the time's words, those that join them included.
  func spans(of phrase: Phrase) -> [Range<Int>] {
    var spans: [Range<Int>] = []
    var last = -1
    for range in phrase.covered {
      var first = range.lowerBound
      while first > last + 1, first > 0,
        Self.links.contains(keyword(first - 1)) && keyword(first - 1) != .and
      {
        first -= 1
      }
      let joined =
        last >= 0
        && (last + 1..<max(first, last + 1)).allSatisfy {
          isSign($0, ",") || keyword($0) == .and
        }
      let bytes = tokens[first].range.lowerBound..<tokens[range.upperBound - 1].range.upperBound
      if joined, let previous = spans.popLast() {
        spans.append(previous.lowerBound..<bytes.upperBound)
      } else {
        spans.append(bytes)
      }
      last = range.upperBound - 1
    }
    return spans
  }
}
