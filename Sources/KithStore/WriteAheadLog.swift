import Glibc

/// A look at the write-ahead log of SQLite without SQLite, which takes all from the first frame
/// that is not whole for never written
/// (https://www.sqlite.org/fileformat2.html#the_write_ahead_log).
///
/// What a crash or a loss of power leaves is a last transaction that is not whole. A frame that is
/// not whole before the end of a transaction upon which another one follows is damage: the second
/// was begun only when the first was durable.
enum WriteAheadLog {
  private static let headerSize = 32
  private static let frameHeaderSize = 24

  /// What is damaged in a log; nil when nothing is, or nothing can be told.
  static func finding(_ path: String) -> String? {
    guard let file = try? RegularFile.open(path, O_RDONLY) else { return nil }
    defer { close(file) }
    guard let header = read(file, headerSize, at: 0) else { return nil }
    let order: Order
    switch word(header, 0) {
    case 0x377F_0682: order = .little
    case 0x377F_0683: order = .big
    default: return nil
    }
    let sum = Sum().adding(header[..<24], order)
    let pageSize = Int(word(header, 8))
    // A header that is not whole tells nothing of what follows: older frames may.
    guard (512...65_536).contains(pageSize), pageSize & (pageSize - 1) == 0,
      sum == Sum(header, at: 24)
    else { return nil }
    let size = frameHeaderSize + pageSize
    var before = sum
    var firstBroken: Int?
    var isBehindEnd = false
    var number = 0
    while let frame = read(file, size, at: headerSize + number * size) {
      number += 1
      let stored = Sum(frame, at: 16)
      let isOfThisLog = frame[8..<16].elementsEqual(header[16..<24])
      let isWhole =
        isOfThisLog
        && before.adding(frame[..<8], order).adding(frame[frameHeaderSize...], order) == stored
      if !isWhole, firstBroken == nil { firstBroken = number }
      if isWhole, isBehindEnd, let firstBroken {
        return "frame \(firstBroken) is not as it was written, and frame \(number) is"
      }
      isBehindEnd = firstBroken != nil && word(frame, 4) != 0
      before = stored
    }
    return nil
  }

  private enum Order { case little, big }

  /// SQLite's checksum of words, two sums that run on from frame to frame.
  private struct Sum: Equatable {
    var first: UInt32 = 0
    var second: UInt32 = 0

    init() {}

    init(_ bytes: [UInt8], at offset: Int) {
      first = word(bytes, offset)
      second = word(bytes, offset + 4)
    }

    func adding(_ bytes: ArraySlice<UInt8>, _ order: Order) -> Sum {
      var sum = self
      bytes.withUnsafeBytes { bytes in
        for offset in stride(from: 0, to: bytes.count, by: 8) {
          let one = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
          let two = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
          sum.first &+=
            (order == .little ? UInt32(littleEndian: one) : UInt32(bigEndian: one)) &+ sum.second
          sum.second &+=
            (order == .little ? UInt32(littleEndian: two) : UInt32(bigEndian: two)) &+ sum.first
        }
      }
      return sum
    }
  }

  private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  private static func read(_ file: Int32, _ count: Int, at offset: Int) -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = max(0, pread(file, buffer.baseAddress, count, off_t(offset)))
    }
    return bytes.count == count ? bytes : nil
  }
}
