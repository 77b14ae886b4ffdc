/// Numbers in words as digits: `fifteen` is 15, `twenty five` is 25.
enum Numbers {
  private static let units: [String: Int] = [
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "dozen": 12,
  ]
  private static let tens: [String: Int] = [
    "twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50, "sixty": 60,
    "seventy": 70, "eighty": 80, "ninety": 90,
  ]
  private static let scales: [String: Int] = [
    "hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000,
  ]

  /// The words of pieces. Digits that follow one another stay numbers of their own.
  static func folded(_ pieces: [String]) -> [PhraseWord] {
    var words: [PhraseWord] = []
    var index = 0
    while index < pieces.count {
      let (number, next) = number(pieces, at: index)
      if let number {
        words.append(PhraseWord("\(number)"))
        index = next
      } else {
        words.append(PhraseWord(digits(pieces[index])))
        index += 1
      }
    }
    return words
  }

  /// Digits without zeros before them.
  private static func digits(_ piece: String) -> String {
    guard PhraseWord(piece).isNumber else { return piece }
    let digits = piece.drop { $0 == "0" }
    return digits.isEmpty || digits.first == "." ? "0" + digits : String(digits)
  }

  /// The number in words that begins at a piece, and the piece behind it.
  private static func number(_ pieces: [String], at start: Int) -> (Int?, Int) {
    var index = start
    var value = 0
    if let ten = tens[pieces[index]] {
      value = ten
      index += 1
      if index < pieces.count, let unit = units[pieces[index]], (1...9).contains(unit) {
        value += unit
        index += 1
      }
    } else if let unit = units[pieces[index]] {
      value = unit
      index += 1
    } else if let scale = scales[pieces[index]] {
      return (scale, index + 1)
    } else {
      return (nil, start)
    }
    while index < pieces.count, let scale = scales[pieces[index]] {
      value = value.multipliedReportingOverflow(by: scale).partialValue
      index += 1
      // "one hundred fifteen"
      if index < pieces.count, scales[pieces[index]] == nil {
        let (rest, next) = number(pieces, at: index)
        if let rest, rest < scale {
          value = value.addingReportingOverflow(rest).partialValue
          index = next
        }
      }
    }
    return (value, index)
  }
}
