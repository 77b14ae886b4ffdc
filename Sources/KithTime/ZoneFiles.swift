import Glibc

/// The compiled zones of the system's tzdata: the one part of this module that reads files.
///
/// It keeps nothing: each call reads anew, so that whoever calls decides when a new edition counts.
/// A zone is read in tens of microseconds.
public struct ZoneFiles: Sendable, Hashable {
  /// The folder of the files.
  public let directory: String

  /// The files below a folder; Debian's package `tzdata` has them in `/usr/share/zoneinfo`.
  public init(directory: String = "/usr/share/zoneinfo") {
    self.directory = directory
  }

  /// The zone of an IANA name, as in `Europe/Berlin`; links such as `Asia/Katmandu` are zones too.
  /// - Throws: `ZoneError` with `invalidName`, `unknownZone` or `malformed`.
  public func zone(named name: String) throws(ZoneError) -> Zone {
    try Self.check(name)
    guard let bytes = Self.bytes(of: "\(directory)/\(name)") else {
      throw ZoneError(
        .unknownZone, name,
        "it is not in \(directory); an IANA name is expected, such as America/New_York")
    }
    return try TZif.zone(named: name, from: bytes)
  }

  /// The edition of tzdata, as in `2026a`; nil where the system does not say.
  ///
  /// Debian writes it in the first line of `tzdata.zi`, others in `+VERSION`.
  public func version() -> String? {
    if let text = Self.bytes(of: "\(directory)/tzdata.zi", atMost: 64) {
      let words = text.prefix { $0 != 10 }.split(separator: UInt8(ascii: " "))
      if words.count == 3, words[1].elementsEqual("version".utf8) {
        return String(decoding: words[2], as: UTF8.self)
      }
    }
    guard let text = Self.bytes(of: "\(directory)/+VERSION", atMost: 64) else { return nil }
    return String(decoding: text.prefix { $0 > 32 }, as: UTF8.self)
  }

  // MARK: Names and files

  /// Names come from users and calendar files: nothing but parts of letters, digits, `_`, `+` and
  /// `-` between single slashes can reach the disk.
  private static func check(_ name: String) throws(ZoneError) {
    let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let isName =
      (1...64).contains(name.utf8.count) && parts.count <= 4
      && parts.allSatisfy { part in
        guard let first = part.first, isLetter(first) else { return false }
        return part.allSatisfy { isLetter($0) || (48...57).contains($0) || "_+-".utf8.contains($0) }
      }
    guard isName else {
      throw ZoneError(
        .invalidName, name, "an IANA name is expected, such as America/New_York")
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (65...90).contains(byte & ~32) }

  /// The bytes of a regular file; nil where there is none or it is larger than a zone's can be.
  private static func bytes(of path: String, atMost limit: Int = 1 << 20) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let size = min(Int(status.st_size), limit)
    var filled = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
      while filled < size {
        let count = read(descriptor, buffer.baseAddress.map { $0 + filled }, size - filled)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        filled += count
      }
      initialized = filled
    }
    return bytes
  }
}
