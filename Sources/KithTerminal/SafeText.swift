/// Text from elsewhere, made fit for a terminal: whatever could move the cursor, colour the screen
/// or hide what follows is shown as U+FFFD.
package enum SafeText {
  /// One line: line breaks and tabs become spaces.
  package static func line(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { isUnfit($0) || isBlank($0) }) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      result.append(isBlank(scalar) ? " " : isUnfit(scalar) ? "\u{fffd}" : scalar)
    }
    return String(result)
  }

  /// Lines, each made fit.
  package static func lines(_ text: String) -> [String] {
    text.split(omittingEmptySubsequences: false) { $0.isNewline }.map { line(String($0)) }
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\t" || scalar == "\n" || scalar == "\r"
  }

  private static func isUnfit(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7f...0x9f: true
    // Marks that turn the direction of what follows, and separators that some terminals take for
    // line breaks.
    case 0x2028...0x202e, 0x2066...0x2069: true
    default: false
    }
  }
}
