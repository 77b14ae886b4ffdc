/// A text as the engine reads it: folded to lower-case ASCII where that is possible, invisible
/// scalars removed, white space collapsed, and for every remaining scalar the bytes of the original
/// it came from.
///
/// Reading takes one pass and one allocation an array; the work is linear in the bytes.
public struct NormalizedText: Sendable {
  /// What was seen at a scalar before it was folded.
  public struct Marks: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt8
    /// Marks with the given bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// An upper-case ASCII letter.
    public static let upperCase = Marks(rawValue: 1)
    /// A look-alike of another script.
    public static let homoglyph = Marks(rawValue: 2)
    /// A compatibility form of a letter or digit (mathematical, fullwidth, enclosed).
    public static let styled = Marks(rawValue: 4)
    /// An invisible scalar stood between this scalar and the one before.
    public static let afterInvisible = Marks(rawValue: 8)
    /// A line ended before this scalar.
    public static let afterLineBreak = Marks(rawValue: 16)
    /// More than one space stood before this scalar.
    public static let afterWideGap = Marks(rawValue: 32)
    /// An override of the direction of writing holds here: the scalar is shown in reverse order.
    public static let overridden = Marks(rawValue: 64)
  }

  /// The folded scalars.
  public private(set) var scalars: [UInt32] = []
  /// For each scalar the first byte of its origin.
  public private(set) var starts: [UInt32] = []
  /// For each scalar the first byte behind its origin.
  public private(set) var ends: [UInt32] = []
  /// For each scalar what was seen before folding.
  public private(set) var marks: [Marks] = []
  /// How many scalars override the direction of writing (U+202D, U+202E, U+2066 to U+2069 ...).
  public private(set) var directionOverrides = 0
  /// Where the first of them stands.
  public private(set) var firstDirectionOverride: ByteSpan?
  /// Letters, and upper-case letters among them.
  public private(set) var letterCount = 0
  /// Upper-case letters.
  public private(set) var upperCaseCount = 0
  /// Scalars that were folded to others: the first scalar each became, and what it was. Ascending.
  public private(set) var foldings: [(index: Int, scalar: UInt32)] = []
  /// How many letters could not be folded to ASCII.
  public private(set) var foreignLetterCount = 0

  /// Reads a text. Bytes that are not UTF-8 read as U+FFFD.
  public init(_ text: String) {
    var text = text
    self = text.withUTF8 { NormalizedText(utf8: $0) }
  }

  /// What was read of a text and is not yet in its scalars.
  private struct Pending {
    /// White space.
    var space = false
    /// What the next scalar is marked with.
    var marks: Marks = []
    /// What every scalar is marked with while an override of the direction holds.
    var direction: Marks = []

    /// All marks of the next scalar; those of it alone are then spent.
    @inline(__always)
    mutating func takeMarks() -> Marks {
      let all = marks.union(direction)
      marks = []
      return all
    }
  }

  /// Reads bytes. What is not UTF-8 reads as U+FFFD, one for each byte that cannot be part of a
  /// scalar.
  public init(utf8 bytes: UnsafeBufferPointer<UInt8>) {
    let fold = FoldTable.shared
    scalars.reserveCapacity(bytes.count + 1)
    starts.reserveCapacity(bytes.count + 1)
    ends.reserveCapacity(bytes.count + 1)
    marks.reserveCapacity(bytes.count + 1)
    var index = 0
    var pending = Pending()
    while index < bytes.count {
      let start = index
      if bytes[index] < 0x80 {
        index += 1
        read(ascii: UInt32(bytes[start]), start, &pending)
        continue
      }
      let scalar = Self.decode(bytes, &index)
      if let folding = fold.folding(of: scalar) {
        read(scalar, folding.packed, Self.mark(of: folding), start, index, &pending)
      } else if let properties = Unicode.Scalar(scalar)?.properties {
        read(scalar, properties, start, index, &pending)
      }
    }
  }

  /// Reads one byte that is a scalar.
  @inline(__always)
  private mutating func read(ascii scalar: UInt32, _ start: Int, _ pending: inout Pending) {
    if scalar <= 0x20 || scalar == 0x7F {
      // A NUL or another control character parts words as a space does.
      if pending.space { pending.marks.insert(.afterWideGap) }
      pending.space = true
      if scalar == 0x0A || scalar == 0x0D {
        pending.marks.insert(.afterLineBreak)
        pending.direction = []
      }
      return
    }
    var mark = pending.takeMarks()
    var letter = scalar
    if scalar &- 0x41 < 26 {
      letter |= 0x20
      mark.insert(.upperCase)
      upperCaseCount += 1
      letterCount += 1
    } else if scalar &- 0x61 < 26 {
      letterCount += 1
    }
    append(letter, mark, start, start + 1, &pending.space)
  }

  /// What a folded scalar is marked with.
  private static func mark(of folding: FoldTable.Folding) -> Marks {
    switch folding.kind {
    case .homoglyph: .homoglyph
    case .compatibility where isLetterOrDigit(folding.packed & 0xFF): .styled
    default: []
    }
  }

  /// Reads a scalar that is folded to others, up to four in one number.
  @inline(__always)
  private mutating func read(
    _ scalar: UInt32, _ pieces: UInt32, _ kind: Marks, _ start: Int, _ end: Int,
    _ pending: inout Pending
  ) {
    let mark = pending.takeMarks().union(kind)
    var packed = pieces
    var isFirst = true
    while packed != 0 {
      let piece = packed & 0xFF
      if piece &- 0x61 < 26 { letterCount += 1 }
      append(piece, mark, start, end, &pending.space)
      if isFirst { foldings.append((scalars.count - 1, scalar)) }
      isFirst = false
      packed >>= 8
    }
  }

  /// Reads a scalar that has no form in ASCII.
  private mutating func read(
    _ scalar: UInt32, _ properties: Unicode.Scalar.Properties, _ start: Int, _ end: Int,
    _ pending: inout Pending
  ) {
    if scalar == 0x85 || scalar == 0x2028 || scalar == 0x2029 || properties.isWhitespace {
      pending.space = true
      return
    }
    if Self.isDirectionControl(scalar) {
      directionOverrides += 1
      if firstDirectionOverride == nil {
        firstDirectionOverride = ByteSpan(start: start, end: end)
      }
      if scalar == 0x202D || scalar == 0x202E {
        pending.direction = .overridden
      } else if scalar == 0x202C {
        pending.direction = []
      }
      pending.marks.insert(.afterInvisible)
      return
    }
    if properties.isDefaultIgnorableCodePoint {
      pending.marks.insert(.afterInvisible)
      return
    }
    if properties.generalCategory == .nonspacingMark, let last = scalars.last, last < 0x80,
      !pending.space
    {
      // An accent on an ASCII letter: `e` + U+0301 reads as `é` does.
      return
    }
    if properties.isAlphabetic {
      letterCount += 1
      foreignLetterCount += 1
    }
    let lower = properties.changesWhenLowercased ? properties.lowercaseMapping : ""
    append(
      lower.unicodeScalars.first?.value ?? scalar, pending.takeMarks(), start, end, &pending.space)
  }
  /// Whether nothing visible is left.
  public var isBlank: Bool { scalars.isEmpty }

  /// The bytes of the original that the scalars in `range` came from.
  public func span(of range: Range<Int>) -> ByteSpan {
    ByteSpan(start: Int(starts[range.lowerBound]), end: Int(ends[range.upperBound - 1]))
  }

  /// The scalars behind those in `range`: what was folded as it stood before, in lower or upper
  /// case; nil when all are ASCII and none was folded.
  func originals(in range: Range<Int>) -> [UInt32]? {
    var low = 0
    var high = foldings.count
    while low < high {
      let middle = (low + high) / 2
      if foldings[middle].index < range.lowerBound { low = middle + 1 } else { high = middle }
    }
    let isFolded = low < foldings.count && foldings[low].index < range.upperBound
    guard isFolded || scalars[range].contains(where: { $0 >= 0x80 }) else { return nil }
    var result: [UInt32] = []
    result.reserveCapacity(range.count)
    for index in range {
      if low < foldings.count, foldings[low].index == index {
        result.append(foldings[low].scalar)
        low += 1
      } else if index == 0 || starts[index] != starts[index - 1] {
        result.append(scalars[index])
      }
    }
    return result
  }

  @inline(__always)
  private mutating func append(
    _ scalar: UInt32, _ mark: Marks, _ start: Int, _ end: Int, _ pendingSpace: inout Bool
  ) {
    if pendingSpace {
      pendingSpace = false
      if let last = ends.last {
        scalars.append(0x20)
        starts.append(last)
        ends.append(UInt32(truncatingIfNeeded: start))
        marks.append([])
      }
    }
    scalars.append(scalar)
    starts.append(UInt32(truncatingIfNeeded: start))
    ends.append(UInt32(truncatingIfNeeded: end))
    marks.append(mark)
  }

  @inline(__always)
  static func isLetterOrDigit(_ scalar: UInt32) -> Bool {
    scalar &- 0x61 < 26 || scalar &- 0x30 < 10
  }

  private static func isDirectionControl(_ scalar: UInt32) -> Bool {
    (0x202A...0x202E).contains(scalar) || (0x2066...0x2069).contains(scalar)
  }

  /// Decodes the scalar at `index` and steps behind it; U+FFFD for a byte that starts none.
  @inline(__always)
  private static func decode(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> UInt32 {
    let first = UInt32(bytes[index])
    index += 1
    let length: Int
    var scalar: UInt32
    let least: UInt32
    switch first {
    case 0xC2...0xDF: (length, scalar, least) = (1, first & 0x1F, 0x80)
    case 0xE0...0xEF: (length, scalar, least) = (2, first & 0x0F, 0x800)
    case 0xF0...0xF4: (length, scalar, least) = (3, first & 0x07, 0x10000)
    default: return 0xFFFD
    }
    guard index + length <= bytes.count else { return 0xFFFD }
    for offset in 0..<length {
      let next = UInt32(bytes[index + offset])
      guard next & 0xC0 == 0x80 else { return 0xFFFD }
      scalar = scalar << 6 | next & 0x3F
    }
    guard scalar >= least, scalar <= 0x10FFFF, scalar &- 0xD800 >= 0x800 else { return 0xFFFD }
    index += length
    return scalar
  }
}
