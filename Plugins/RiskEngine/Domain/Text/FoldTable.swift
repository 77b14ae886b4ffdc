/// What a scalar outside ASCII looks like in ASCII: compatibility forms (fullwidth, mathematical,
/// enclosed), letters with diacritics, and look-alikes of other scripts.
///
/// The standard library has no public NFKC, and a scam check needs more than NFKC: `а` (Cyrillic)
/// has to read as `a`. So the table is generated (see `FoldTable+Data.swift`) and looked up in two
/// steps.
struct FoldTable: Sendable {
  /// Why a scalar is folded.
  enum Kind: UInt8 {
    /// A compatibility form of an ASCII character: `ｇ`, `𝐠`, `ⓖ`.
    case compatibility = 1
    /// A letter with a diacritic: `é`.
    case diacritic = 2
    /// A letter of another script that looks like an ASCII one: Cyrillic `а`.
    case homoglyph = 3
  }

  /// One folding: up to four ASCII scalars, the first in the lowest byte.
  struct Folding {
    var kind: Kind
    var packed: UInt32
  }

  /// The table. Built once, on first use, in well under a millisecond.
  static let shared = FoldTable(parsing: source)

  private var pages: [UInt16]
  private var cells: [UInt16]
  private var foldings: [Folding]

  /// The folding of a scalar; nil when it stays as it is.
  @inline(__always)
  func folding(of scalar: UInt32) -> Folding? {
    guard scalar < 0x20000 else { return nil }
    let page = Int(pages[Int(scalar >> 8)])
    guard page != 0 else { return nil }
    let cell = Int(cells[page << 8 | Int(scalar & 0xFF)])
    return cell == 0 ? nil : foldings[cell - 1]
  }

  init(parsing text: StaticString) {
    pages = [UInt16](repeating: 0, count: 0x200)
    cells = [UInt16](repeating: 0, count: 256)
    foldings = []
    text.withUTF8Buffer { bytes in
      for line in bytes.split(separator: UInt8(ascii: "\n")) {
        add(line: line)
      }
    }
  }

  /// `c ff 12 20-2f`: kind, ASCII form, scalars.
  private mutating func add(line: Slice<UnsafeBufferPointer<UInt8>>) {
    let fields = line.split(separator: UInt8(ascii: " "))
    guard fields.count > 2 else { return }
    let kind: Kind =
      switch fields[0].first {
      case UInt8(ascii: "h"): .homoglyph
      case UInt8(ascii: "d"): .diacritic
      default: .compatibility
      }
    var packed: UInt32 = 0
    for (index, byte) in fields[1].prefix(4).enumerated() {
      packed |= UInt32(byte) << UInt32(8 * index)
    }
    foldings.append(Folding(kind: kind, packed: packed))
    let cell = UInt16(foldings.count)
    for field in fields.dropFirst(2) {
      let ends = field.split(separator: UInt8(ascii: "-")).map(Self.hexadecimal)
      guard let first = ends.first, let last = ends.last else { continue }
      for scalar in first...last where scalar < 0x20000 {
        if pages[Int(scalar >> 8)] == 0 {
          pages[Int(scalar >> 8)] = UInt16(cells.count >> 8)
          cells.append(contentsOf: repeatElement(0, count: 256))
        }
        cells[Int(pages[Int(scalar >> 8)]) << 8 | Int(scalar & 0xFF)] = cell
      }
    }
  }

  private static func hexadecimal(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> UInt32 {
    digits.reduce(0) { value, digit in
      let nibble = digit >= UInt8(ascii: "a") ? digit - UInt8(ascii: "a") + 10 : digit - 48
      return value << 4 | UInt32(nibble)
    }
  }
}
