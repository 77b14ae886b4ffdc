/// Reads and writes amounts of time and memory as manifests have them: a number with its unit.
enum Quantity {
  /// `30s`, `500ms`, `1.5s`, `1h30m`: parts from the largest unit to the smallest, each unit once.
  /// `nil` for anything else, also for a number without a unit and for more than 100 years.
  static func duration(_ text: String) -> Duration? {
    nanoseconds(text).map { Duration(nanoseconds: $0) }
  }

  /// As ``duration(_:)``, in nanoseconds.
  static func nanoseconds(_ text: String) -> Int128? {
    sum(text, units: durationUnits, limit: longestNanoseconds)
  }

  /// `256MiB`, `64KiB`, `1.5GiB`, `10MB`, `512B`. `nil` for anything else, also for a number
  /// without a unit.
  static func bytes(_ text: String) -> Int128? {
    sum(text, units: byteUnits, limit: Int128(Int64.max), parts: 1)
  }

  /// Durations as proto3 JSON has them, and as a worker gets them: seconds with as many decimals as
  /// it takes, `1.5s`.
  static func canonicalDuration(nanoseconds: Int128) -> String {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: nanosecondsPerSecond)
    guard rest != 0 else { return "\(seconds)s" }
    let digits = String(rest)
    var decimals = String(repeating: "0", count: 9 - digits.count) + digits
    while decimals.last == "0" { decimals.removeLast() }
    return "\(seconds).\(decimals)s"
  }

  // MARK: Units

  private typealias Unit = (name: String, size: Int128)

  private static let nanosecondsPerSecond: Int128 = 1_000_000_000
  private static let longestNanoseconds = 100 * 365 * 86_400 * nanosecondsPerSecond

  private static let durationUnits: [Unit] = [
    ("d", 86_400 * nanosecondsPerSecond), ("h", 3_600 * nanosecondsPerSecond),
    ("m", 60 * nanosecondsPerSecond), ("s", nanosecondsPerSecond), ("ms", 1_000_000),
    ("us", 1_000), ("ns", 1),
  ]

  private static let byteUnits: [Unit] = [
    ("TiB", 1 << 40), ("TB", 1_000_000_000_000), ("GiB", 1 << 30), ("GB", 1_000_000_000),
    ("MiB", 1 << 20), ("MB", 1_000_000), ("KiB", 1 << 10), ("kB", 1_000), ("B", 1),
  ]

  /// Adds up `number unit` parts in units of decreasing size. Fractions must come out whole.
  private static func sum(
    _ text: String, units: [Unit], limit: Int128, parts maximumParts: Int = 7
  ) -> Int128? {
    var rest = text.utf8[...]
    var total: Int128 = 0
    var smallest: Int128?
    var parts = 0
    while !rest.isEmpty {
      guard let (digits, decimals) = number(&rest) else { return nil }
      let name = rest.prefix { isLetter($0) }
      rest = rest.dropFirst(name.count)
      guard let unit = units.first(where: { $0.name.utf8.elementsEqual(name) }),
        smallest.map({ unit.size < $0 }) ?? true
      else { return nil }
      smallest = unit.size
      var scale: Int128 = 1
      for _ in 0..<decimals { scale *= 10 }
      let (amount, remainder) = (digits * unit.size).quotientAndRemainder(dividingBy: scale)
      guard remainder == 0 else { return nil }
      total += amount
      parts += 1
      guard total <= limit, parts <= maximumParts else { return nil }
    }
    return parts > 0 ? total : nil
  }

  /// Digits with an optional fraction: all digits as one whole number, and how many of them are
  /// decimals. At most 18, so that no product of them overflows.
  private static func number(_ rest: inout Substring.UTF8View) -> (Int128, Int)? {
    var digits: Int128 = 0
    var count = 0
    var decimals: Int?
    while let byte = rest.first {
      if isDigit(byte) {
        digits = digits * 10 + Int128(byte - UInt8(ascii: "0"))
        count += 1
        if let places = decimals { decimals = places + 1 }
      } else if byte == UInt8(ascii: "."), decimals == nil, count > 0 {
        decimals = 0
      } else {
        break
      }
      rest = rest.dropFirst()
      guard count <= 18 else { return nil }
    }
    guard count > 0, decimals != 0 else { return nil }
    return (digits, decimals ?? 0)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}

extension Duration {
  /// A duration of that many nanoseconds, exactly.
  init(nanoseconds: Int128) {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    self.init(
      secondsComponent: Int64(clamping: seconds),
      attosecondsComponent: Int64(rest) * 1_000_000_000)
  }
}
