/// What names look like. Plugin, worker and product names become parts of paths and sockets, so
/// they are narrow.
enum Names {
  /// The longest name of a plugin, worker or product in bytes.
  static let longest = 40

  /// `risk-engine`: small letters, digits and hyphens, a letter first, no hyphen last.
  static func isKebab(_ text: String) -> Bool {
    guard let first = text.utf8.first, isSmallLetter(first), text.utf8.count <= longest,
      text.utf8.last != UInt8(ascii: "-"), !text.contains("--")
    else { return false }
    return text.utf8.allSatisfy { isSmallLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
  }

  /// `label_high`: small letters, digits and underscores, a letter first.
  static func isSnake(_ text: String) -> Bool {
    guard let first = text.utf8.first, isSmallLetter(first), text.utf8.count <= 64 else {
      return false
    }
    return text.utf8.allSatisfy { isSmallLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
  }

  /// The packages whose services the host and the SDK serve.
  static let platformPackages = [
    "kith.events", "kith.health", "kith.host", "kith.identity", "kith.metrics", "kith.reflection",
    "kith.rpc", "kith.worker",
  ]

  /// `kith.risk.v1.RiskEngine`: parts of letters, digits and underscores with dots between them,
  /// two at least.
  static func isService(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count >= 2, text.utf8.count <= 255 else { return false }
    return parts.allSatisfy { part in
      guard let first = part.utf8.first, isSmallLetter(first | 0x20) else { return false }
      return part.utf8.allSatisfy { isSmallLetter($0 | 0x20) || isDigit($0) || $0 == 0x5f }
    }
  }

  /// A person's id, as `KithAccess.UserID` has it: 1 to 64 of ASCII letters, digits, '-', '_', '.'
  /// and ':'.
  static func isUserID(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        isSmallLetter($0 | 0x20) || isDigit($0) || "-_.:".utf8.contains($0)
      }
  }

  /// A program's file name: no folder, nothing hidden.
  static func isFileName(_ text: String) -> Bool {
    guard let first = text.utf8.first, first != UInt8(ascii: "."), text.utf8.count <= 128 else {
      return false
    }
    return text.utf8.allSatisfy {
      isSmallLetter($0 | 0x20) || isDigit($0) || "-_.+".utf8.contains($0)
    }
  }

  /// `1.0.0` or `1.0.0-beta.1`.
  static func isVersion(_ text: String) -> Bool {
    guard text.utf8.count <= 64 else { return false }
    let halves = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    let numbers = halves[0].split(separator: ".", omittingEmptySubsequences: false)
    guard numbers.count == 3 else { return false }
    for number in numbers {
      guard !number.isEmpty, number.utf8.count <= 9, number.utf8.allSatisfy(isDigit),
        number == "0" || number.first != "0"
      else { return false }
    }
    guard halves.count == 2 else { return true }
    return !halves[1].isEmpty
      && halves[1].utf8.allSatisfy {
        isSmallLetter($0 | 0x20) || isDigit($0) || "-.+".utf8.contains($0)
      }
  }

  private static func isSmallLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}

extension Scalars {
  /// A text of a certain form.
  func name(
    _ value: ManifestValue, _ expected: String, where isRight: (String) -> Bool
  ) -> String? {
    guard let text = string(value) else { return nil }
    guard isRight(text) else {
      findings.add(
        ManifestError(
          .outOfRange, "\(name) is '\(text.prefix(80))'", at: value.location, expected: expected))
      return nil
    }
    return text
  }

  /// The name of a plugin, worker or product.
  func kebabName(_ value: ManifestValue) -> String? {
    name(value, Self.kebabForm, where: Names.isKebab)
  }

  /// What ``kebabName(_:)`` asks for.
  static let kebabForm =
    "small letters, digits and single hyphens, a letter first, at most \(Names.longest): risk-engine"

  /// The full name of a service.
  func serviceName(_ value: ManifestValue) -> String? {
    name(value, "a service's full name: kith.risk.v1.RiskEngine", where: Names.isService)
  }

  /// The full name of a service that a plugin may provide: those of the platform are the host's, or
  /// come with every worker.
  func providedService(_ value: ManifestValue) -> String? {
    guard let service = serviceName(value) else { return nil }
    guard !Names.platformPackages.contains(where: { service.hasPrefix("\($0).") }) else {
      findings.add(
        ManifestError(
          .duplicateService, "\(name) names \(service), which belongs to the platform",
          at: value.location, expected: "a service of the plugin's own: kith.risk.v1.RiskEngine"))
      return nil
    }
    return service
  }
}
