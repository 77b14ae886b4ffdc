import Testing

@testable import UsageLockDomain

/// The sentence of the extreme mode against what people say.
@Suite struct PhraseGateTests {
  private static let gate = PhraseGate(sentence: PhraseGate.standard, minutes: 15)

  private func verdict(_ text: String, _ strictness: Strictness = .normal) -> PhraseVerdict {
    Self.gate.judge(text, strictness)
  }

  /// The published table: how many of each kind are accepted.
  @Test func theTableOfAcceptedAndRefused() {
    let kinds: [(String, [String])] = [
      ("honest", Transcripts.honest), ("negated", Transcripts.negated),
      ("wrong number", Transcripts.wrongNumber), ("other", Transcripts.other),
    ]
    #expect(kinds.reduce(0) { $0 + $1.1.count } >= 300)
    for (name, texts) in kinds {
      for strictness in Strictness.allCases {
        let accepted = texts.filter { verdict($0, strictness).isAccepted }
        print("phrase table: \(name), \(strictness): \(accepted.count) of \(texts.count) accepted")
        if name == "honest" {
          if strictness != .strict {
            let refused = texts.filter { !verdict($0, strictness).isAccepted }
            for text in refused {
              print("  refused: \(text) (\(verdict(text, strictness)))")
            }
            #expect(accepted.count * 100 >= texts.count * 98)
          }
        } else {
          #expect(accepted == [], "\(name), \(strictness)")
        }
      }
    }
  }

  @Test func whatIsWrongIsSaid() {
    // "n0t" has another number, and a Russian "не" is a word too many.
    #expect(Transcripts.negated.count { verdict($0).problem != .negation } <= 2)
    let without = verdict("I am stupid enough to waste time give me another 15 minutes")
    #expect(without.missedWords == ["more", "please"])
    #expect(without.problem == .missingWords)
    #expect(verdict("").missedWords == Self.gate.requiredWords)
    #expect(!PhraseGate.hasWords("🙏 ... \u{200B}"))
  }

  @Test func theRequiredWordsFollowFromTheSentence() {
    #expect(
      Self.gate.requiredWords == [
        "stupid", "enough", "waste", "more", "time", "please", "another", "15", "minutes",
      ])
    let own = PhraseGate(
      sentence: "I will not get anything done today, and I know it: {minutes} minutes of cats",
      minutes: 5)
    #expect(
      own.requiredWords == [
        "not", "get", "anything", "done", "today", "know", "5", "minutes", "cats",
      ])
    #expect(
      own.judge("I won't get anything done today and I know it five minutes of cats", .normal)
        .isAccepted)
    // The negation of a sentence must be heard too.
    #expect(
      own.judge("I will get anything done today and I know it 5 minutes of cats", .lenient).problem
        == .negation)
  }

  /// Every word of the sentence with a negation before or behind it, at every strictness, joined
  /// and apart.
  @Test(arguments: Strictness.allCases)
  func noNegationPassesAnywhere(_ strictness: Strictness) {
    let words = "I am stupid enough to waste more time please give me another 15 minutes"
      .split(separator: " ").map(String.init)
    let negations = [
      "not", "no", "never", "n't", "NOT", "n o t", "n-o-t", "nоt", "non", "without", "don't",
      "isn't", "hardly", "knot", "n\u{200B}ot", "🚫", "nothing", "stop", "cannot",
    ]
    for negation in negations {
      for place in 0...words.count {
        var parts = words
        parts.insert(negation, at: place)
        let text = parts.joined(separator: " ")
        #expect(!verdict(text, strictness).isAccepted, "\(text)")
        if place < words.count, negation.allSatisfy(\.isLetter), negation != "no" {
          for glued in [negation + words[place], words[place] + negation] {
            var parts = words
            parts[place] = glued
            let text = parts.joined(separator: " ")
            #expect(!verdict(text, strictness).isAccepted, "\(text)")
          }
        }
      }
    }
  }

  /// Every number in place of the right one, as digits; and beside it.
  @Test(arguments: Strictness.allCases)
  func noOtherNumberPasses(_ strictness: Strictness) {
    let sentence = "I am stupid enough to waste more time please give me another"
    for number in 0...160 where number != 15 {
      #expect(!verdict("\(sentence) \(number) minutes", strictness).isAccepted, "\(number)")
    }
    for number in [0, 1, 2, 4, 5, 10, 15, 50] {
      #expect(!verdict("\(sentence) \(number) 15 minutes", strictness).isAccepted, "\(number)")
      #expect(!verdict("\(sentence) 15 \(number) minutes", strictness).isAccepted, "\(number)")
      #expect(!verdict("\(number) \(sentence) 15 minutes", strictness).isAccepted, "\(number)")
    }
  }

  /// Random texts of the words of the sentence and of others: what is accepted is near the
  /// sentence.
  @Test func shuffledWordsDoNotPass() {
    var random = SeededGenerator(seed: 20)
    let words = "I am stupid enough to waste more time please give me another 15 minutes"
      .split(separator: " ").map(String.init)
    for _ in 0..<300 {
      var shuffled = words
      for _ in 0..<3 {
        let (a, b) = (
          Int.random(in: 0..<14, using: &random), Int.random(in: 0..<14, using: &random)
        )
        shuffled.swapAt(a, b)
      }
      let verdict = verdict(shuffled.joined(separator: " "), .strict)
      if shuffled != words, shuffled.map(\.count) != words.map(\.count) {
        #expect(!verdict.isAccepted || verdict.distance <= 2, "\(shuffled)")
      }
    }
  }

  @Test func texts() {
    // Ten kilobytes are looked at in no time, and are no sentence.
    let long = String(repeating: "I am stupid enough to waste more time please ", count: 230)
    #expect(verdict(long + "give me another 15 minutes").problem != nil)
    #expect(verdict(String(repeating: "a", count: 10_240)).problem == .wrongNumber)
    #expect(verdict(String(repeating: "not ", count: 2_560)).problem != nil)
  }
}
