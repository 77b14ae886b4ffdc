/// Damages bytes as transports, disks and attackers do.
enum Mutation {
  static func of(_ bytes: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
    var result = bytes
    for _ in 0..<Int.random(in: 1...3, using: &random) { mutate(&result, using: &random) }
    return result
  }

  private static func mutate(_ bytes: inout [UInt8], using random: inout SeededGenerator) {
    guard !bytes.isEmpty else {
      bytes = (0..<Int.random(in: 0...12, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      return
    }
    let index = bytes.indices.randomElement(using: &random) ?? 0
    switch Int.random(in: 0..<9, using: &random) {
    case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1: bytes[index] = UInt8.random(in: 0...255, using: &random)
    case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
    case 3: bytes.remove(at: index)
    case 4: bytes.removeLast(bytes.count - index)
    case 5: bytes[index] = [0, 0x7f, 0x80, 0xff].randomElement(using: &random) ?? 0
    case 6:
      let end = min(bytes.count, index + Int.random(in: 1...16, using: &random))
      bytes.insert(contentsOf: bytes[index..<end], at: index)
    case 7:
      let end = min(bytes.count, index + Int.random(in: 1...16, using: &random))
      bytes.append(contentsOf: bytes[index..<end])
    default:
      let tail = (0..<Int.random(in: 1...11, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      bytes.append(contentsOf: tail)
    }
  }
}
