/// The words that rules know, numbered from 1.
struct Lexicon {
  /// The words that stand for kinds of tokens, in the order of their numbers.
  static let placeholders = ["<link>", "<phone>", "<money>", "<code>", "<number>", "<email>"]
  static let link = 1
  static let phone = 2
  static let money = 3
  static let code = 4
  static let number = 5
  static let email = 6

  private var words = FlatTable()
  /// For each number whether the word is a frequent English one.
  private(set) var isCommon: [Bool] = [false]
  /// For each number whether a disguise of it counts: at least four letters.
  private(set) var isTelling: [Bool] = [false]

  init() {
    for placeholder in Self.placeholders { _ = add(placeholder) }
  }

  /// The number of a word, adding it when it is new.
  ///
  /// - Parameter telling: whether a new word is a rule's; at others only words that run together
  ///   are taken apart.
  mutating func add(
    _ word: some StringProtocol, common: Bool = false, telling: Bool = true
  ) -> Int {
    let hash = StableHash.word(word)
    let known = words.value(of: hash)
    if known != 0 {
      if common { isCommon[known] = true }
      return known
    }
    words.set(hash, isCommon.count)
    isCommon.append(common)
    isTelling.append(
      telling && !common && word.utf8.count >= 4
        && word.utf8.allSatisfy { $0 >= 0x61 && $0 <= 0x7A })
    return isCommon.count - 1
  }

  /// The number of the word with that hash; 0 when it is not known.
  @inline(__always)
  func number(ofHash hash: UInt64) -> Int { words.value(of: hash) }
}
