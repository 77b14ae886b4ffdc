import KithTime

/// A part of a day as it was said, with its day where that was said too.
struct SaidPart: Sendable, Hashable {
  var part: DayPart
  var date: CivilDate?
  /// A word alone, as in "good morning".
  var isWeak = false
}

extension Parser {
  /// `tonight`, `this morning`, `in the afternoon`, `early in the morning`, `late last night`,
  /// `at lunch`, `after school`.
  func dayPart(_ index: Int) -> Found<SaidPart>? {
    var next = index
    var isEarly = false
    var isLate = false
    if KeywordSet([.early, .late]).contains(keyword(next)) {
      isEarly = keyword(next) == .early
      isLate = !isEarly
      next += 1
    }
    guard var found = namedPart(next, isLate: isLate) else {
      return isEarly ? nil : earlyHours(index)
    }
    if isEarly {
      guard found.value.part == .morning else { return nil }
      found.value.part = .earlyMorning
      found.value.isWeak = false
    }
    if isLate {
      guard [.night, .evening].contains(found.value.part) else { return nil }
      found.value.part = .lateNight
      found.value.isWeak = false
    }
    return found
  }

  /// `in the early hours of the morning`.
  private func earlyHours(_ index: Int) -> Found<SaidPart>? {
    let start = after(.in, .the, .early, at: index) ?? after(.the, .early, at: index)
    guard let start, lexeme(start).unit == .hour,
      let end = after(.of, .the, .morning, at: start + 1)
    else { return nil }
    return (SaidPart(part: .earlyMorning), end)
  }

  private func namedPart(_ index: Int, isLate: Bool) -> Found<SaidPart>? {
    if keyword(index) == .tonight { return (SaidPart(part: .night, date: today), index + 1) }
    if let night = after(.last, .night, at: index) {
      return (SaidPart(part: .night, date: today.adding(days: -1)), night)
    }
    if keyword(index) == .after {
      let noun = keyword(index + 1)
      if noun == .lunch { return (SaidPart(part: .afterLunch), index + 2) }
      if noun == .school { return (SaidPart(part: .afterSchool), index + 2) }
    }
    var next = index
    if keyword(next) == .this, let part = part(next + 1) {
      return (SaidPart(part: part, date: today), next + 2)
    }
    if let past = after(.this, .past, at: index), let part = part(past) {
      return (SaidPart(part: part, date: today), past + 1)
    }
    if keyword(next) == .before, keyword(next + 1) == .bedtime {
      return (SaidPart(part: .bedtime), next + 2)
    }
    next = skipping([.in, .at, .with, .during, .for, .the, .by], from: next)
    guard let part = part(next) else { return nil }
    // "the night shift", "a dinner table": behind an article alone the word needs company too.
    let isAnchored = KeywordSet([.in, .at, .with, .during]).contains(keyword(index))
    return (SaidPart(part: part, isWeak: !isAnchored), next + 1)
  }

  private func part(_ index: Int) -> DayPart? {
    switch keyword(index) {
    case .morning: .morning
    case .afternoon: .afternoon
    case .evening where tokens[index].text != "eve": .evening
    case .night: .night
    case .breakfast: .breakfast
    case .lunch: .lunch
    case .dinner: .dinner
    case .bedtime
    where tokens[index].text != "bed" || keyword(index - 1) == .before
      || keyword(index - 1) == .at:
      .bedtime
    default: nil
    }
  }
}
