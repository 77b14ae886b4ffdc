import KithManifest
package import KithTerminal

/// The name of a new plugin, and how it is spelt in each of the places where it stands.
package struct PluginName: Equatable {
  /// As a person types it: `pill-box`.
  package let kebab: String

  /// What is expected of a name.
  package static let form =
    "2 to 40 small letters and digits, with single hyphens between words and a letter first: pill-box"

  /// Checks a name.
  /// - Throws: ``CommandFailure`` with exit code 64.
  package init(_ text: String) throws(CommandFailure) {
    let shown = SafeText.line(String(text.prefix(60)))
    let words = text.split(separator: "-", omittingEmptySubsequences: false)
    let isFormed =
      (2...40).contains(text.utf8.count)
      && words.allSatisfy { word in
        !word.isEmpty && word.utf8.allSatisfy { Self.isSmallLetter($0) || Self.isDigit($0) }
      } && text.utf8.first.map(Self.isSmallLetter) == true
    guard isFormed else {
      throw CommandFailure(.usage, "'\(shown)' is no name for a plugin; expected \(Self.form)")
    }
    guard !ReservedNames.commands.contains(text), text != "kithd" else {
      throw CommandFailure(
        .usage,
        "'\(text)' is a word of kith itself, and `kith \(text)` would never reach the "
          + "worker; choose another name")
    }
    kebab = text
    guard !Self.taken.contains(type) else {
      throw CommandFailure(
        .usage,
        "'\(text)' would be the type \(type) in Swift, which has another meaning there; "
          + "choose a name of two words, such as \(text)-watch")
    }
  }

  /// As a type: `PillBox`.
  package var type: String {
    kebab.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// As a property: `pillBox`.
  package var property: String { type.prefix(1).lowercased() + type.dropFirst() }

  /// As a part of a proto package, and a file name there: `pill_box`.
  package var snake: String { String(kebab.map { $0 == "-" ? "_" : $0 }) }

  /// For people: `Pill box`.
  package var words: String {
    let words = kebab.map { $0 == "-" ? " " : String($0) }.joined()
    return words.prefix(1).uppercased() + words.dropFirst()
  }

  /// The folder of its contract under `Sources/KithContracts`, as the generator names it.
  package var contractArea: String { Self.abbreviations[snake] ?? type }

  /// The target of its contract.
  package var contract: String { "\(contractArea)Contract" }

  /// The program of its worker.
  package var executable: String { "\(kebab)-worker" }

  /// Packages that the contract generator writes in capitals.
  private static let abbreviations = ["rpc": "RPC", "ocr": "OCR"]

  /// Types that a plugin's own would hide, from itself and from the code around it.
  private static let taken: Set<String> = [
    "Any", "AnyObject", "Array", "Bool", "Character", "Collection", "Data", "Date", "Decimal",
    "Dictionary", "Double", "Duration", "Equatable", "Error", "Float", "Greeter", "Hashable", "Int",
    "Iterator", "Kith", "Logger", "Metadata", "Never", "Optional", "Part", "Plugin", "Protocol",
    "Range", "Result", "Self", "Sendable", "Sequence", "Set", "String", "Swift", "Task", "Testing",
    "Type", "Void", "Worker",
  ]

  private static func isSmallLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
