/// How names of a contract are spelt in other places.
public enum ContractNames {
  /// The part behind the last full stop: `kith.risk.v1.Channel` gives `Channel`.
  public static func last(of fullName: String) -> String {
    guard let dot = fullName.lastIndex(of: ".") else { return fullName }
    return String(fullName[fullName.index(after: dot)...])
  }

  /// The part before the last full stop: `kith.risk.v1.Channel` gives `kith.risk.v1`.
  public static func scope(of fullName: String) -> String {
    guard let dot = fullName.lastIndex(of: ".") else { return "" }
    return String(fullName[..<dot])
  }

  /// `score_100` gives `score100`, as protoc spells JSON names.
  public static func lowerCamel(_ snake: String) -> String {
    var result = ""
    var capitalizes = false
    for character in snake {
      if character == "_" {
        capitalizes = true
      } else {
        result += capitalizes ? character.uppercased() : String(character)
        capitalizes = false
      }
    }
    return result
  }

  /// `next_step`, `GetModel` and `LIKELY_SCAM` give `next-step`, `get-model` and `likely-scam`:
  /// names on a command line.
  public static func kebab(_ name: String) -> String {
    words(of: name).joined(separator: "-")
  }

  /// `WorkerState` gives `WORKER_STATE`: what the values of an enum begin with.
  public static func upperSnake(_ name: String) -> String {
    words(of: name).joined(separator: "_").uppercased()
  }

  /// The words of a name in lower case. A word ends at `_`, before a capital that follows a small
  /// letter or a digit (`getModel`), and before the last capital of several that a small letter
  /// follows (`HTTPServer`).
  static func words(of name: String) -> [String] {
    let letters = Array(name)
    var words: [String] = []
    var word = ""
    for (position, letter) in letters.enumerated() {
      if letter == "_" || letter == "-" || letter == " " {
        if !word.isEmpty { words.append(word) }
        word = ""
        continue
      }
      if letter.isUppercase, !word.isEmpty {
        let follows = letters[position - 1]
        let precedes = position + 1 < letters.count ? letters[position + 1] : nil
        if !follows.isUppercase || precedes?.isLowercase == true {
          words.append(word)
          word = ""
        }
      }
      word += letter.lowercased()
    }
    if !word.isEmpty { words.append(word) }
    return words
  }
}
