/// Reads what a contact answered to a text message.
public enum ReplyReading {
  private static let yes: Set<String> = [
    "ok", "okay", "okey", "k", "kk", "yes", "yep", "yeah", "yup", "y", "ack", "on my way", "omw",
    "on the way", "coming", "i am coming", "im coming", "got it", "i got it", "i have got it",
    "ok thanks", "ok thank you", "will do", "going", "i am going", "im going", "i am on my way",
    "im on my way", "ok on my way", "yes on my way", "ok i am on my way", "ok im on my way",
    "i will check", "ill check", "i will call", "ill call", "calling", "calling now",
    "on it", "im on it", "i am on it", "ok got it", "yes ok", "ok ok", "ok will do", "ok coming",
    "yes coming", "yes i am coming", "yes im coming",
  ]

  private static let thumbs: Set<Character> = ["👍", "👌", "✅"]

  /// Whether a text says that its sender looks after it: `OK`, `ok!`, `Yes.`, `On my way`. A text
  /// that says more than that does not: "ok who is this?" is a question.
  public static func isAcknowledgement(_ text: String) -> Bool {
    if text.contains("?") { return false }
    var words: [String] = []
    var word = ""
    var hasThumb = false
    for character in text.lowercased().prefix(200) {
      if character == "'" || character == "’" { continue }
      hasThumb = hasThumb || thumbs.contains(plain(character))
      if character.isLetter || character.isNumber {
        word.append(character)
      } else if !word.isEmpty {
        words.append(word)
        word = ""
      }
    }
    if !word.isEmpty { words.append(word) }
    return words.isEmpty ? hasThumb : yes.contains(words.joined(separator: " "))
  }

  /// A thumb without its colour.
  private static func plain(_ character: Character) -> Character {
    character.unicodeScalars.first.map(Character.init) ?? character
  }
}
