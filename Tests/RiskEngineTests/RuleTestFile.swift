import FoundationEssentials
import RiskEngineDomain

/// The tests that stand beside the rules in their bundle, so that a new signal brings its own.
struct RuleTestFile: Decodable {
  /// A text, or a text with what is known beside it.
  struct Example: Decodable, CustomStringConvertible {
    var text: String
    var circumstances = Circumstances()

    var description: String { text }

    private enum Key: String, CodingKey { case text, sender, suspected, contact, local }

    init(from decoder: any Decoder) throws {
      if let text = try? decoder.singleValueContainer().decode(String.self) {
        self.text = text
        return
      }
      let values = try decoder.container(keyedBy: Key.self)
      text = try values.decode(String.self, forKey: .text)
      circumstances.sender = try values.decodeIfPresent(String.self, forKey: .sender)
        .flatMap(SenderAddress.init)
      circumstances.suspectedNumbers = Set(
        try values.decodeIfPresent(String.self, forKey: .suspected).map { [$0] } ?? [])
      circumstances.senderIsContact =
        try values.decodeIfPresent(Bool.self, forKey: .contact) ?? false
      if let local = try values.decodeIfPresent(String.self, forKey: .local) {
        circumstances.localTimes = [try Self.time(local)]
      }
    }

    /// Reads `sun 23:30`.
    private static func time(_ text: String) throws -> LocalTime {
      let parts = text.split { $0 == " " || $0 == ":" }.map(String.init)
      let days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
      guard parts.count == 3, let day = days.firstIndex(of: parts[0]), let hour = Int(parts[1]),
        let minute = Int(parts[2])
      else { throw NotATime(text: text) }
      return LocalTime(weekday: day + 1, minute: hour * 60 + minute)
    }
  }

  /// A time that is not written like `sun 23:30`.
  struct NotATime: Error { var text: String }

  /// The tests of a signal.
  struct Tests: Decodable {
    /// Texts in which it is found.
    var matches: [Example]
    /// Texts in which it is not.
    var ignores: [Example]
  }

  var signals: [String: Tests]

  init(from decoder: any Decoder) throws {
    signals = try decoder.singleValueContainer().decode([String: Tests].self)
  }

  /// The file of the bundle that ships.
  static func shipped() throws -> RuleTestFile {
    let bytes = try Data(contentsOf: URL(filePath: "\(Fixtures.resources)/rule_tests.json"))
    return try JSONDecoder().decode(RuleTestFile.self, from: bytes)
  }
}
