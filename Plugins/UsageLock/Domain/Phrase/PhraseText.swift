/// A text as words that can be compared: lower case, no marks, look-alike letters as the Latin ones
/// that they look like, contractions in full, numbers as digits.
enum PhraseText {
  /// The words of a text.
  static func words(of text: String) -> [PhraseWord] {
    let pieces = pieces(of: text).flatMap(Contractions.expanded)
    return Numbers.folded(pieces)
  }

  /// Whether a text has anything that can be a word.
  static func hasWords(_ text: String) -> Bool { !pieces(of: text).isEmpty }

  // MARK: Pieces

  /// Runs of letters and of digits; an apostrophe inside a word stays.
  private static func pieces(of text: String) -> [String] {
    var pieces: [String] = []
    var piece = ""
    var isDigits = false
    func end() {
      while piece.last == "'" { piece.removeLast() }
      if !piece.isEmpty { pieces.append(piece) }
      piece = ""
    }
    let scalars = Array(text.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      switch LetterShapes.shape(of: scalar) {
      case .none: continue
      case .letters(let letters):
        if isDigits { end() }
        isDigits = false
        piece += letters
      case .digit(let digit):
        if !isDigits { end() }
        isDigits = true
        piece += String(digit)
      case .number(let number):
        // Alone, so that "15²" is not 152.
        end()
        pieces.append(number)
        isDigits = false
      case .apostrophe:
        if isDigits { end() } else if !piece.isEmpty { piece += "'" }
      case .prohibition:
        end()
        pieces.append("not")
      case .dash:
        end()
        // "-15" is another number; "twenty-five" is not.
        let next = scalars[(index + 1)...].first { $0 != " " }
        let isSign = index == 0 || LetterShapes.isSpace(scalars[index - 1])
        if isSign, let next, case .digit = LetterShapes.shape(of: next) { pieces.append("minus") }
      case .other: end()
      }
    }
    end()
    return pieces
  }
}
