import AlertsContract
import DeliveryContract
import FamilyAlertsDomain
import KithRPC
import KithTime

/// The fields of a contact, checked.
enum ContactDraft {
  static let mostContacts = 50
  private static let mostAddresses = 8
  private static let mostName = 200
  private static let mostValue = 4096

  /// - Throws: INVALID_ARGUMENT.
  static func name(_ name: String) throws(RPCError) -> String {
    guard (1...mostName).contains(name.utf8.count) else {
      throw .invalidArgument(field: "name", "expected 1 to \(mostName) bytes")
    }
    return name
  }

  /// A priority of 1 to 3.
  /// - Throws: INVALID_ARGUMENT.
  static func priority(_ priority: UInt32) throws(RPCError) -> Int {
    guard priority <= 3 else {
      throw .invalidArgument(field: "priority", "expected 1 to 3, or 0")
    }
    return Int(priority)
  }

  /// Addresses without repeats.
  /// - Throws: INVALID_ARGUMENT.
  static func addresses(
    _ addresses: [Address], email: String = "", phone: String = ""
  ) throws(RPCError) -> [Address] {
    var all = addresses
    if !email.isEmpty { all.append(Address(channel: .email, value: email)) }
    if !phone.isEmpty { all.append(Address(channel: .sms, value: phone)) }
    guard (1...mostAddresses).contains(all.count) else {
      throw .invalidArgument(field: "addresses", "expected 1 to \(mostAddresses) addresses")
    }
    var unique: [Address] = []
    for address in all where !unique.contains(address) {
      try check(address)
      unique.append(address)
    }
    return unique
  }

  private static func check(_ address: Address) throws(RPCError) {
    let value = address.value
    guard let channel = ContactChannel(address.channel), value.utf8.count <= mostValue,
      address.provider.utf8.count <= 32
    else {
      throw .invalidArgument(
        field: "addresses", "expected a channel and a value of at most \(mostValue) bytes")
    }
    let isVisible = value.utf8.allSatisfy { $0 > 32 && $0 != 127 }
    let (isRight, expected): (Bool, String) =
      switch channel {
      case .sms:
        (
          value.hasPrefix("+") && (8...16).contains(value.utf8.count)
            && value.utf8.dropFirst().allSatisfy { (48...57).contains($0) },
          "expected a telephone number: +, the country's code and the number, 8 to 15 digits"
        )
      case .email:
        (
          value.utf8.count <= 254 && value.split(separator: "@").count == 2
            && value.utf8.count { $0 == UInt8(ascii: "@") } == 1,
          "expected a mail address"
        )
      case .webhook:
        (value.hasPrefix("https://") && value.utf8.count > 8, "expected an https address")
      case .push, .call: (!value.isEmpty, "expected a push token")
      }
    guard isRight && isVisible else { throw .invalidArgument(field: "addresses", expected) }
  }

  /// Quiet hours as they are stored; empty for none.
  /// - Throws: INVALID_ARGUMENT.
  static func quiet(
    _ rule: QuietRule?, in book: AlertsBook
  ) throws(RPCError) -> String {
    guard let rule, !(rule.from.isEmpty && rule.to.isEmpty) else { return "" }
    guard CivilTime(clock: rule.from) != nil, CivilTime(clock: rule.to) != nil else {
      throw .invalidArgument(field: "quiet_rule", "expected times of day such as 22:00 and 07:00")
    }
    let zone = rule.zone.isEmpty ? book.settings.zone : rule.zone
    do throws(ZoneError) {
      _ = try book.zones.zone(named: zone)
    } catch {
      throw .invalidArgument(field: "quiet_rule.zone", error.description)
    }
    return rule.from == rule.to ? "" : "\(rule.from) \(rule.to) \(zone)"
  }

  /// All addresses in one text, the same in any order.
  static func fingerprint(_ addresses: [Address]) -> String {
    addresses.map { "\($0.channel.rawValue) \($0.provider) \($0.value)" }.sorted()
      .joined(separator: "\n")
  }
}
