import KithJSON

/// A generator whose values depend on its seed alone, so that a failure can be run again.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}

extension JSONValue {
  /// Any value in the form in which it is read.
  static func random(using generator: inout SeededGenerator, depth: Int = 0) -> JSONValue {
    switch Int.random(in: 0..<(depth < 5 ? 9 : 7), using: &generator) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &generator))
    case 2: return .integer(Int64(truncatingIfNeeded: generator.next()) >> Int64.random(in: 0..<64))
    case 3: return JSONValue(generator.next())
    case 4:
      let bits = Double(bitPattern: generator.next())
      return .number(bits.isFinite ? bits : 0.5)
    case 5: return .number(Double.random(in: -1e3...1e3, using: &generator))
    case 6: return .string(randomText(using: &generator))
    case 7:
      let count = Int.random(in: 0..<6, using: &generator)
      return .array((0..<count).map { _ in random(using: &generator, depth: depth + 1) })
    default:
      var object = JSONObject()
      for _ in 0..<Int.random(in: 0..<20, using: &generator) {
        object[randomText(using: &generator)] = random(using: &generator, depth: depth + 1)
      }
      return .object(object)
    }
  }

  private static func randomText(using generator: inout SeededGenerator) -> String {
    var text = ""
    for _ in 0..<Int.random(in: 0..<12, using: &generator) {
      let limit: UInt32 = [0x20, 0x80, 0x800, 0x11_0000].randomElement(using: &generator) ?? 0x80
      if let scalar = Unicode.Scalar(UInt32.random(in: 0..<limit, using: &generator)) {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
