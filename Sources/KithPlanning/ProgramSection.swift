import Glibc

/// A section of a program on disk, in the format of Linux's programs (ELF, 64 bits, this machine's
/// byte order).
enum ProgramSection {
  /// The most that is read of one.
  static let longest = 16 << 20

  /// The bytes of the section of that name; nil when the file is no such program, is damaged, or
  /// has none.
  static func bytes(named name: String, of path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return bytes(named: name) { offset, count in read(descriptor, offset, count) }
  }

  /// As above, of a program of which `read` gives so many bytes from an offset on; nil when there
  /// are not as many.
  static func bytes(named name: String, read: (UInt64, Int) -> [UInt8]?) -> [UInt8]? {
    // Magic number, 64 bits, little-endian: what Linux runs on the machines that Swift is built
    // for.
    guard let header = read(0, 64), header.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]) else {
      return nil
    }
    let table = number(header, 0x28, UInt64.self)
    let entrySize = UInt64(number(header, 0x3A, UInt16.self))
    let count = UInt64(number(header, 0x3C, UInt16.self))
    let names = UInt64(number(header, 0x3E, UInt16.self))
    guard entrySize >= 64, names < count, entrySize * count <= longest,
      let entries = read(table, Int(entrySize * count))
    else { return nil }
    func entry(_ index: UInt64) -> (name: Int, offset: UInt64, size: UInt64) {
      let start = Int(index * entrySize)
      return (
        Int(number(entries, start, UInt32.self)), number(entries, start + 0x18, UInt64.self),
        number(entries, start + 0x20, UInt64.self)
      )
    }
    let text = entry(names)
    guard text.size <= longest, let texts = read(text.offset, Int(text.size)) else {
      return nil
    }
    for index in 0..<count {
      let section = entry(index)
      guard section.name < texts.count,
        texts[section.name...].prefix(while: { $0 != 0 }).elementsEqual(name.utf8)
      else { continue }
      guard section.size <= longest else { return nil }
      return read(section.offset, Int(section.size))
    }
    return nil
  }

  private static func number<Number: FixedWidthInteger>(
    _ bytes: [UInt8], _ offset: Int, _ type: Number.Type
  ) -> Number {
    (0..<MemoryLayout<Number>.size).reversed().reduce(0) { $0 << 8 | Number(bytes[offset + $1]) }
  }

  private static func read(_ descriptor: Int32, _ offset: UInt64, _ count: Int) -> [UInt8]? {
    guard let start = Int(exactly: offset) else { return nil }
    var bytes: [UInt8] = []
    while bytes.count < count {
      var got = 0
      let rest = count - bytes.count
      bytes += [UInt8](unsafeUninitializedCapacity: rest) { buffer, initialized in
        got = pread(descriptor, buffer.baseAddress, rest, start + bytes.count)
        initialized = max(0, got)
      }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { return nil }
    }
    return bytes
  }
}
