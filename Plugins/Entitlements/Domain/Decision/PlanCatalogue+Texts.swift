extension PlanCatalogue {
  /// The most plans, features, limits or products that a catalogue has.
  private static let most = 1000

  /// Reads a catalogue as a manifest has it.
  /// - Parameters:
  ///   - plans: names, the lowest first.
  ///   - features: `plus: digest sms`; a plan has those of the plans below it too.
  ///   - limits: `free: ask_daily 10 a day`, `free: active_reminders 3 at once`,
  ///     `plus: ask_daily 500 a day fair`. A plan without a line for a quota has no limit of it.
  ///   - products: `app.milo.plus.monthly: plus`.
  ///   - safety: features that nobody is ever refused.
  /// - Throws: what is wrong, and in which key.
  public init(
    plans: [String], features: [String], limits: [String], products: [String],
    safety: [String]
  ) throws(Problem) {
    for (key, list) in [
      ("plans", plans), ("features", features), ("limits", limits), ("products", products),
      ("safety", safety),
    ] where list.count > Self.most {
      throw Problem(key: key, description: "expected up to \(Self.most)")
    }
    for name in plans { try Self.check(name, "plans") }
    for name in safety { try Self.check(name, "safety") }
    let sold = Set(plans)
    var own: [String: Set<String>] = [:]
    for line in features {
      let (plan, words) = try Self.entry(line, "features", of: sold)
      for word in words { try Self.check(word, "features") }
      own[plan, default: []].formUnion(words)
    }
    var limitsOf: [String: [String: SoldPlan.Limit]] = [:]
    for line in limits {
      let (plan, words) = try Self.entry(line, "limits", of: sold)
      guard let quota = words.first, let limit = Self.limit(words.dropFirst()) else {
        throw Problem(
          key: "limits",
          description: "'\(line)': expected `free: ask_daily 10 a day`, `... 3 at once` or "
            + "`... 500 a day fair`")
      }
      try Self.check(quota, "limits")
      guard limitsOf[plan, default: [:]].updateValue(limit, forKey: quota) == nil else {
        throw Problem(key: "limits", description: "'\(plan)' limits '\(quota)' twice")
      }
    }
    var all: Set<String> = []
    let read = plans.map { name in
      all.formUnion(own[name] ?? [])
      return SoldPlan(name: name, features: all, limits: limitsOf[name] ?? [:])
    }
    var planOf: [String: String] = [:]
    for line in products {
      // The product may have a colon: Google's base plans.
      guard let colon = line.lastIndex(of: ":") else {
        throw Problem(
          key: "products", description: "'\(line)': expected `PRODUCT: PLAN`")
      }
      let product = Self.trimmed(line[..<colon])
      let plan = Self.trimmed(line[line.index(after: colon)...])
      guard !product.isEmpty, sold.contains(plan),
        planOf.updateValue(plan, forKey: product) == nil
      else {
        throw Problem(
          key: "products",
          description: "'\(line)': expected a product, once, and one of the plans "
            + plans.joined(separator: ", "))
      }
    }
    try self.init(plans: read, products: planOf, safety: Set(safety))
  }

  private static func entry(
    _ line: String, _ key: String, of plans: Set<String>
  ) throws(Problem) -> (plan: String, words: [String]) {
    guard let colon = line.firstIndex(of: ":"), plans.contains(trimmed(line[..<colon])) else {
      throw Problem(
        key: key,
        description: "'\(line)': expected a colon behind one of the plans "
          + plans.sorted().joined(separator: ", "))
    }
    let words = line[line.index(after: colon)...].split { $0 == " " || $0 == "," }
    return (trimmed(line[..<colon]), words.map(String.init))
  }

  private static func limit(_ words: ArraySlice<String>) -> SoldPlan.Limit? {
    guard let first = words.first, let number = Int(first), (0...1_000_000_000).contains(number)
    else { return nil }
    switch words.dropFirst().joined(separator: " ") {
    case "a day": return .daily(number)
    case "a day fair": return .fairUse(number)
    case "at once": return .level(number)
    default: return nil
    }
  }

  private static func check(_ name: String, _ key: String) throws(Problem) {
    let isName =
      (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F || $0 == 0x2D
          || $0 == 0x2E
      }
    guard isName else {
      throw Problem(
        key: key,
        description: "'\(name)': expected up to 64 of lower-case letters, digits, '_', '-', '.'")
    }
  }

  private static func trimmed(_ text: Substring) -> String {
    text.split(separator: " ").joined(separator: " ")
  }
}
