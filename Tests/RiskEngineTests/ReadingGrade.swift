/// The reading grade of a text by Flesch and Kincaid: 0.39 x words a sentence + 11.8 x syllables a
/// word - 15.59.
enum ReadingGrade {
  /// The grade; web addresses count as one word of one syllable, as nobody reads them aloud.
  static func grade(of text: String) -> Double {
    let words = text.split { $0.isWhitespace || $0 == "-" }
    let sentences = words.filter { word in word.last.map { ".?!".contains($0) } ?? false }.count
    let syllables = words.reduce(0) { $0 + Self.syllables(of: $1) }
    return 0.39 * Double(words.count) / Double(max(1, sentences))
      + 11.8 * Double(syllables) / Double(max(1, words.count)) - 15.59
  }

  /// Groups of vowels, without the silent ones at the end.
  static func syllables(of word: Substring) -> Int {
    let bare = word.lowercased().filter { $0.isLetter }
    guard !word.dropLast().contains("."), bare.count > 3 else { return 1 }
    let isVowel = bare.map { "aeiouy".contains($0) }
    var count = 0
    for (index, vowel) in isVowel.enumerated() where vowel && (index == 0 || !isVowel[index - 1]) {
      count += 1
    }
    let letters = Array(bare)
    let beforeLast = letters[letters.count - 2]
    if bare.hasSuffix("e"), !isVowel[letters.count - 2],
      !(beforeLast == "l" && !isVowel[letters.count - 3])
    {
      count -= 1
    } else if bare.hasSuffix("ed"), !"td".contains(letters[letters.count - 3]),
      !isVowel[letters.count - 3]
    {
      count -= 1
    }
    return max(1, count)
  }
}
