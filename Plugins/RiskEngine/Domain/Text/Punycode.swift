/// Punycode (RFC 3492), as far as look-alikes need it.
enum Punycode {
  /// Scalars with look-alike letters folded to ASCII; `?` for what has no ASCII form.
  static func folded(_ scalars: [UInt32]) -> [UInt8] {
    var result: [UInt8] = []
    for scalar in scalars {
      if scalar < 0x80 {
        result.append(UInt8(scalar &- 0x41 < 26 ? scalar | 0x20 : scalar))
      } else if var packed = FoldTable.shared.folding(of: scalar)?.packed {
        while packed != 0 {
          result.append(UInt8(truncatingIfNeeded: packed))
          packed >>= 8
        }
      } else if let properties = Unicode.Scalar(scalar)?.properties,
        properties.isDefaultIgnorableCodePoint || properties.generalCategory == .nonspacingMark
      {
        continue
      } else {
        result.append(UInt8(ascii: "?"))
      }
    }
    return result
  }

  /// The label without its prefix; nil when it is longer than a label can be.
  static func encode(_ scalars: [UInt32]) -> [UInt8]? {
    guard scalars.count <= 63 else { return nil }
    var output = scalars.filter { $0 < 0x80 }.map { UInt8($0) }
    let basic = UInt32(output.count)
    if basic > 0 { output.append(UInt8(ascii: "-")) }
    var handled = basic
    var n: UInt32 = 128
    var delta: UInt32 = 0
    var bias: UInt32 = 72
    while handled < scalars.count {
      guard let next = scalars.filter({ $0 >= n }).min() else { return nil }
      delta = delta &+ (next - n) &* (handled + 1)
      n = next
      for scalar in scalars {
        if scalar < n { delta = delta &+ 1 }
        guard scalar == n else { continue }
        var q = delta
        var k: UInt32 = 36
        while true {
          let threshold = k <= bias ? 1 : min(26, k - bias)
          if q < threshold { break }
          output.append(digit(threshold + (q - threshold) % (36 - threshold)))
          q = (q - threshold) / (36 - threshold)
          k += 36
        }
        output.append(digit(q))
        bias = adapted(delta, length: handled + 1, isFirst: handled == basic)
        delta = 0
        handled += 1
      }
      delta = delta &+ 1
      n += 1
    }
    return output
  }

  private static func digit(_ value: UInt32) -> UInt8 {
    UInt8(value < 26 ? value + 0x61 : value + 22)
  }

  private static func adapted(_ given: UInt32, length: UInt32, isFirst: Bool) -> UInt32 {
    var delta = isFirst ? given / 700 : given / 2
    delta += delta / length
    var k: UInt32 = 0
    while delta > 455 {
      delta /= 35
      k += 36
    }
    return k + 36 * delta / (delta + 38)
  }

  /// The scalars of a label without its prefix; nil when it is not valid. At most 63 bytes are
  /// read.
  static func decode(_ input: [UInt8]) -> [UInt32]? {
    guard input.count <= 63 else { return nil }
    var output: [UInt32] = []
    var position = 0
    if let delimiter = input.lastIndex(of: UInt8(ascii: "-")) {
      output = input[..<delimiter].map(UInt32.init)
      position = delimiter + 1
    }
    var n: UInt32 = 128
    var i: UInt32 = 0
    var bias: UInt32 = 72
    while position < input.count {
      let old = i
      var weight: UInt32 = 1
      var k: UInt32 = 36
      while true {
        guard position < input.count else { return nil }
        let byte = input[position]
        position += 1
        let digit: UInt32
        switch byte {
        case 0x61...0x7A: digit = UInt32(byte) - 0x61
        case 0x30...0x39: digit = UInt32(byte) - 0x30 + 26
        default: return nil
        }
        let (product, overflow) = digit.multipliedReportingOverflow(by: weight)
        let (sum, carry) = i.addingReportingOverflow(product)
        guard !overflow, !carry else { return nil }
        i = sum
        let threshold = k <= bias ? 1 : min(26, k - bias)
        if digit < threshold { break }
        let (scaled, tooLarge) = weight.multipliedReportingOverflow(by: 36 - threshold)
        guard !tooLarge else { return nil }
        weight = scaled
        k += 36
      }
      let length = UInt32(output.count) + 1
      bias = adapted(i - old, length: length, isFirst: old == 0)
      n = n &+ i / length
      i %= length
      guard n <= 0x10FFFF else { return nil }
      output.insert(n, at: Int(i))
      i += 1
    }
    return output
  }
}
