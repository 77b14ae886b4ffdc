import Foundation
import KithTime
import Testing

/// Files that are not as tzdata writes them.
@Suite struct ZoneFileTests {
  /// The zone of these bytes, through a folder of its own.
  private func zone(_ bytes: [UInt8]) throws -> Zone {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(bytes).write(to: folder.appending(path: "Zone"))
    return try ZoneFiles(directory: folder.path).zone(named: "Zone")
  }

  private func newYork() throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/America/New_York")))
  }

  /// A file of version 2 with no transition, one type and this footer.
  private func file(footer: String) -> [UInt8] {
    func header(types: UInt8) -> [UInt8] {
      Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15) + [UInt8](repeating: 0, count: 16)
        + [0, 0, 0, types, 0, 0, 0, 0]
    }
    return header(types: 0) + header(types: 1) + [0, 0, 0, 0, 0, 0] + Array("\n\(footer)\n".utf8)
  }

  /// A file of version 2 with one type, of this offset, and these transitions to it.
  private func file(offset: Int32, transitions: [Int64]) -> [UInt8] {
    func header(times: Int, types: UInt8) -> [UInt8] {
      Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15) + [UInt8](repeating: 0, count: 12)
        + [0, 0, 0, UInt8(times), 0, 0, 0, types, 0, 0, 0, 0]
    }
    return header(times: 0, types: 0) + header(times: transitions.count, types: 1)
      + transitions.flatMap { withUnsafeBytes(of: $0.bigEndian, Array.init) }
      + [UInt8](repeating: 0, count: transitions.count)
      + withUnsafeBytes(of: offset.bigEndian, Array.init) + [0, 0] + Array("\n\n".utf8)
  }

  @Test(arguments: [([], true), ([7], true), ([7, 8], true), ([7, 7], false), ([8, 7], false)])
  func eachTransitionIsLaterThanTheOneBefore(_ transitions: [Int64], _ isRight: Bool) {
    let found = try? zone(file(offset: 3600, transitions: transitions))
    #expect((found != nil) == isRight)
  }

  @Test(arguments: [(86_399, true), (-86_399, true), (86_400, false), (-86_400, false)])
  func anOffsetIsLessThanADay(_ offset: Int32, _ isRight: Bool) {
    let found = try? zone(file(offset: offset, transitions: []))
    #expect(found?.offset(at: Instant(seconds: 0)) == (isRight ? Int(offset) : nil))
  }

  @Test func aFileThatEndsAnywhereIsRefused() throws {
    let whole = try newYork()
    #expect(try zone(whole).name == "Zone")
    for length in stride(from: 0, to: whole.count, by: 7) {
      #expect(throws: ZoneError.self) { try zone(Array(whole.prefix(length))) }
    }
  }

  @Test func aFileWithAnyByteChangedIsAZoneOrRefused() throws {
    let whole = try newYork()
    let noon = Instant(seconds: 1_772_000_000)
    for index in stride(from: 0, to: whole.count, by: 3) {
      var broken = whole
      broken[index] ^= 0xff
      guard let zone = try? zone(broken) else { continue }
      #expect(abs(zone.offset(at: noon)) <= 90_000)
      // Nothing but that it ends: what such a zone says of its walls is nobody's concern.
      _ = zone.resolve(zone.civil(at: noon))
    }
  }

  @Test func footersRule() throws {
    let july = Instant(seconds: 1_783_000_000)
    #expect(try zone(file(footer: "<+0530>-5:30")).offset(at: july) == 19_800)
    #expect(try zone(file(footer: "EST5EDT,M3.2.0,M11.1.0")).offset(at: july) == -14_400)
    #expect(try zone(file(footer: "EST5EDT,J60/0,J300/0")).offset(at: july) == -14_400)
    #expect(try zone(file(footer: "EST5EDT,59,299")).offset(at: july) == -14_400)
    #expect(try zone(file(footer: "<-02>2<-01>,M3.5.0/-1,M10.5.0/0")).offset(at: july) == -3600)
    // Daylight saving time all year (RFC 8536, 3.3.1).
    #expect(try zone(file(footer: "EST5EDT,0/0,J365/25")).offset(at: july) == -14_400)
    #expect(try zone(file(footer: "")).offset(at: july) == 0)
  }

  @Test(arguments: [
    "EST", "E5", "EST5EDT", "EST5EDT,M3.2.0", "EST5EDT,M13.2.0,M11.1.0", "EST25", "<>5", "EST5x",
    "EST5EDT,M3.6.0,M11.1.0", "EST5EDT,M3.2.7,M11.1.0", "EST5EDT,J0,J5", "EST5EDT,366,5",
    "EST5EDT,M3.2.0/168,M11.1.0", "EST99999999999999999999",
  ])
  func footersThatAreNoRuleAreRefused(_ footer: String) {
    let error = #expect(throws: ZoneError.self) { try zone(file(footer: footer)) }
    #expect(error?.kind == .malformed)
  }
}
