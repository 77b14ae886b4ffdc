/// A host that was written in pieces: `bit . ly`, `example dot com`, `txtag . org-a3w . top`.
struct SpacedHost {
  /// How the first dot is written.
  enum Dot {
    /// ` . `, as nobody ends a sentence.
    case apart
    /// ` .`
    case behindSpace
    /// ` dot `
    case word
    /// `. `, as a sentence ends.
    case fullStop
  }

  /// More pieces behind the first are no host.
  private static let mostPieces = 5
  private static let longestPiece = 30
  private static let longestFirstPiece = 40
  private static let longestTopLevel = 12

  /// The host with its dots, in ASCII.
  private(set) var bytes: [UInt8]
  /// Where its last label starts.
  private(set) var topLevelStart = 0
  /// How its first dot is written.
  let dot: Dot
  /// Of how many pieces it is.
  private(set) var pieces = 1
  /// The scalar behind it.
  private(set) var end: Int

  /// The host that starts with a chunk without spaces; nil when what follows it is none.
  init?(_ scalars: [UInt32], _ chunk: Range<Int>) {
    guard (2...Self.longestFirstPiece).contains(chunk.count), chunk.upperBound + 2 < scalars.count,
      let (dot, start) = Self.dot(scalars, behind: chunk),
      scalars[chunk].allSatisfy({ LinkReader.isHostScalar($0) })
    else { return nil }
    self.dot = dot
    bytes = LinkReader.ascii(dot == .fullStop ? scalars[chunk].dropLast() : scalars[chunk])
    end = start
    repeat {
      if pieces > 1 { end += 3 }
      let start = end
      while end < scalars.count, LinkReader.isNameScalar(scalars[end]),
        end - start < Self.longestPiece
      { end += 1 }
      guard end - start >= 2 else { return nil }
      bytes.append(UInt8(ascii: "."))
      topLevelStart = bytes.count
      bytes.append(contentsOf: LinkReader.ascii(scalars[start..<end]))
      pieces += 1
    } while pieces < Self.mostPieces && Self.isDotApart(scalars, end)
    guard topLevel.count <= Self.longestTopLevel, topLevel.allSatisfy({ $0 &- 0x61 < 26 }),
      end == scalars.count || scalars[end] == 0x2E || !LinkReader.isHostScalar(scalars[end])
    else { return nil }
  }

  /// The last label.
  var topLevel: ArraySlice<UInt8> { bytes[topLevelStart...] }

  /// The dot behind the first piece, and where the next begins.
  private static func dot(
    _ scalars: [UInt32], behind chunk: Range<Int>
  ) -> (Dot, next: Int)? {
    let index = chunk.upperBound
    guard scalars[index] == 0x20 else { return nil }
    if scalars[index + 1] == 0x2E {
      let isApart = scalars[index + 2] == 0x20
      return (isApart ? .apart : .behindSpace, index + (isApart ? 3 : 2))
    }
    if scalars[(index + 1)...].starts(with: [0x64, 0x6F, 0x74, 0x20]) { return (.word, index + 5) }
    return scalars[index - 1] == 0x2E ? (.fullStop, index + 1) : nil
  }

  /// Whether ` . ` and another label follow.
  private static func isDotApart(_ scalars: [UInt32], _ index: Int) -> Bool {
    index + 3 < scalars.count && scalars[index...].starts(with: [0x20, 0x2E, 0x20])
      && LinkReader.isNameScalar(scalars[index + 3])
  }
}
