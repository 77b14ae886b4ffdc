import KithTerminal

/// What may stand at the place where a person asks a shell to complete.
enum CompletionCandidate: Equatable {
  /// A word, and what it means in a few words.
  case word(String, String)
  /// Any file; the shell finds them.
  case files
  /// Any folder; the shell finds them.
  case folders

  /// The candidate as a line for the scripts of the shells: the word, then a tab and what it means;
  /// files and folders are words that begin with a colon, as no other does.
  var line: String {
    switch self {
    case .word(let text, ""): SafeText.line(text)
    case .word(let text, let summary): "\(SafeText.line(text))\t\(SafeText.line(summary))"
    case .files: ":files"
    case .folders: ":folders"
    }
  }
}
