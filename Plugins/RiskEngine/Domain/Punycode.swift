/// Punycode (RFC 3492), as far as look-alikes need it.
enum Punycode {
  /// The label behind `xn--…` with look-alike letters folded to ASCII; `?` for what has no ASCII form.
  /// The label itself when it is not valid.
  static func foldedLabel(_ label: [UInt8]) -> [UInt8] {
    guard let scalars = decode(Array(label.dropFirst(4))) else { return label }
    var result: [UInt8] = []
    for scalar in scalars {
      if scalar < 0x80 {
        result.append(UInt8(scalar))
      } else if var packed = FoldTable.shared.folding(of: scalar)?.packed {
        while packed != 0 {
          result.append(UInt8(truncatingIfNeeded: packed))
          packed >>= 8
        }
      } else {
        result.append(UInt8(ascii: "?"))
      }
    }
    return result
  }

  /// The scalars of a label without its prefix; nil when it is not valid. At most 63 bytes are read.
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
      var delta = old == 0 ? (i - old) / 700 : (i - old) / 2
      delta += delta / length
      k = 0
      while delta > 455 {
        delta /= 35
        k += 36
      }
      bias = k + 36 * delta / (delta + 38)
      n = n &+ i / length
      i %= length
      guard n <= 0x10FFFF else { return nil }
      output.insert(n, at: Int(i))
      i += 1
    }
    return output
  }
}
