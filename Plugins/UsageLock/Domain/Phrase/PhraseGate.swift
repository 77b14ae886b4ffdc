/// A sentence that has to be said, and whether a text is it.
///
/// The words of a text are laid beside those of the sentence. What decides are, in this order: no
/// word may say no that is not in the sentence; each number must be there, and no other; no word
/// may be added but a few that change nothing; the words that carry the meaning must be there; and
/// no more letters may be different than the strictness allows.
///
///     let gate = PhraseGate(sentence: PhraseGate.standard, minutes: 15)
///     gate.judge("I am not stupid enough ...", .normal).problem      // .negation
public struct PhraseGate: Sendable, Hashable {
  /// The sentence of the extreme mode; `{minutes}` stands for the window's length.
  public static let standard =
    "I am stupid enough to waste more time. Please give me another {minutes} minutes."
  /// What stands for the window's length in a sentence.
  public static let placeholder = "{minutes}"
  /// How many words of a text are looked at. More than this is no sentence.
  static let mostWords = 120

  /// The sentence as it is to be said.
  public let sentence: String
  let words: [PhraseWord]
  private let known: Set<String>
  private let letters: Int

  /// A gate for a sentence.
  /// - Parameter minutes: the length of the window, which takes the place of the placeholder.
  public init(sentence: String, minutes: Int) {
    self.sentence = Self.filled(sentence, minutes)
    words = Array(PhraseText.words(of: self.sentence).prefix(Self.mostWords))
    known = Set(words.map(\.text))
    letters = words.reduce(0) { $0 + $1.text.utf8.count }
  }

  private static func filled(_ sentence: String, _ minutes: Int) -> String {
    var rest = sentence[...]
    var filled = ""
    while let first = rest.first {
      if rest.hasPrefix(placeholder) {
        filled += "\(minutes)"
        rest = rest.dropFirst(placeholder.count)
      } else {
        filled.append(first)
        rest = rest.dropFirst()
      }
    }
    return filled
  }

  /// How many words the sentence has.
  public var wordCount: Int { words.count }

  /// The words that must be heard: numbers, and all that carry its meaning.
  public var requiredWords: [String] { words.filter(isRequired).map(\.text) }

  /// Whether a text has anything that could be a word.
  public static func hasWords(_ text: String) -> Bool { PhraseText.hasWords(text) }

  private func isRequired(_ word: PhraseWord) -> Bool {
    word.isNumber || word.isNegation || !Fillers.isLight(word.text)
  }

  // MARK: Judging

  /// Whether a text is the sentence.
  public func judge(_ transcript: String, _ strictness: Strictness) -> PhraseVerdict {
    let heard = collapsed(PhraseText.words(of: transcript))
    let allowed = strictness.allowedDistance(letters: letters)
    guard !heard.isEmpty, heard.count <= Self.mostWords else {
      return PhraseVerdict(
        problem: heard.isEmpty ? .missingWords : .extraWords, missedWords: requiredWords,
        distance: letters, allowedDistance: allowed)
    }
    let alignment = PhraseAlignment(of: heard, with: words)
    let missed = alignment.missed.map { words[$0] }.filter(isRequired)
    var verdict = PhraseVerdict(
      problem: nil, missedWords: missed.map(\.text), distance: alignment.distance,
      allowedDistance: allowed)
    let extra = alignment.extra.filter { !Fillers.contains(heard[$0].text) }
    if saysNo(heard, alignment) {
      verdict.problem = .negation
    } else if alignment.extra.contains(where: { heard[$0].isNumber })
      || missed.contains(where: \.isNumber)
    {
      verdict.problem = .wrongNumber
    } else if missed.count > strictness.allowedMisses {
      verdict.problem = .missingWords
    } else if !extra.isEmpty {
      verdict.problem = .extraWords
    } else if verdict.distance > allowed {
      verdict.problem = .tooDifferent
    }
    return verdict
  }

  /// Whether a text has a negation that the sentence has not, or lacks one.
  private func saysNo(_ heard: [PhraseWord], _ alignment: PhraseAlignment) -> Bool {
    // A negation of the sentence must be heard as it is.
    if alignment.missed.contains(where: { words[$0].isNegation })
      || alignment.changed.contains(where: { words[$0].isNegation })
    {
      return true
    }
    let exact = Set(alignment.exact)
    for (index, word) in heard.enumerated() where !exact.contains(index) {
      if alignment.homophones.contains(index) { continue }
      if word.isNegation || Negations.isGlued(word.text, to: known) { return true }
    }
    // Words that fit nothing, next to one another, may spell one; so may letters of words that fit.
    var run: [String] = []
    for (index, word) in heard.enumerated() {
      if alignment.extra.contains(index) || word.text.utf8.count <= 2 && !exact.contains(index) {
        run.append(word.text)
        if Negations.isSpelled(by: run) { return true }
      } else {
        run = []
      }
    }
    return false
  }

  /// Without what was said twice in a row, as by somebody who begins again. Numbers stay.
  private func collapsed(_ heard: [PhraseWord]) -> [PhraseWord] {
    var words: [PhraseWord] = []
    for word in heard.prefix(Self.mostWords + 1) {
      words.append(word)
      for length in stride(from: min(4, words.count / 2), to: 0, by: -1) {
        let last = words.suffix(length)
        guard Array(last) == Array(words.dropLast(length).suffix(length)),
          last.allSatisfy({ !$0.isNumber && known.contains($0.text) })
        else { continue }
        words.removeLast(length)
        break
      }
    }
    return words
  }
}
