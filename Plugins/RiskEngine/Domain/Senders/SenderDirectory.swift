/// The known senders, ready to be asked.
struct SenderDirectory: Sendable {
  /// A sender, compiled.
  struct Entry: Sendable {
    var id: String
    var name: String
    var kind: SenderFile.Kind
    /// The digits of its numbers, with the country code.
    var numbers: Set<String>
    var domains: [String]
    /// When it is at work; nil when it may write at any hour.
    var hours: OfficeHours.Compiled?
  }

  let entries: [Entry]
  private let byID: [String: Int]

  /// Checks and compiles a list.
  ///
  /// - Throws: `RuleFileError` naming the sender and what is wrong.
  init(_ file: SenderFile) throws(RuleFileError) {
    var kinds: [SenderFile.Kind: OfficeHours.Compiled] = [:]
    for (name, hours) in file.hours {
      guard let kind = SenderFile.Kind(rawValue: name) else {
        throw RuleFileError(description: "senders, hours: `\(name)` is no kind of sender")
      }
      kinds[kind] = try hours.compiled(for: name)
    }
    var entries: [Entry] = []
    var byID: [String: Int] = [:]
    entries.reserveCapacity(file.senders.count)
    for sender in file.senders {
      guard byID.updateValue(entries.count, forKey: sender.id) == nil else {
        throw RuleFileError(description: "senders: the name `\(sender.id)` is used twice")
      }
      var numbers: Set<String> = []
      for number in (sender.numbers ?? "").split(separator: " ") {
        guard number.first == "+", number.utf8.dropFirst().allSatisfy({ $0 &- 0x30 < 10 }) else {
          throw RuleFileError(
            description: "senders `\(sender.id)`: `\(number)` is no number in E.164")
        }
        numbers.insert(String(number.dropFirst()))
      }
      entries.append(
        Entry(
          id: sender.id, name: sender.name, kind: sender.kind, numbers: numbers,
          domains: sender.domains.split(separator: " ").map(String.init),
          hours: try sender.hours?.compiled(for: sender.id) ?? kinds[sender.kind]))
    }
    self.entries = entries
    self.byID = byID
  }

  /// The sender with that id.
  func entry(_ id: String) -> Entry? { byID[id].map { entries[$0] } }
}
