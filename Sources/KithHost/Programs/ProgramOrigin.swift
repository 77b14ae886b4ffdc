/// What started a program, as its control group tells: the units of systemd that it is in, and the
/// desktop file.
///
/// A desktop environment names the group of an app after its desktop file:
/// `app-gnome-org.mozilla.firefox-1234.scope` (systemd.io, "Desktop Environment Integration").
struct ProgramOrigin: Hashable {
  /// The units, the outermost first: `user.slice`, `app.slice`, `game.scope`.
  let units: [String]
  /// The desktop file: `org.mozilla.firefox.desktop`; nil where no unit tells.
  let desktopFile: String?

  /// Reads a `/proc/PID/cgroup`.
  init(controlGroups text: String) {
    let units = text.split(separator: "\n").flatMap { line in
      line.split(separator: ":", maxSplits: 2).last?.split(separator: "/").map(String.init) ?? []
    }
    self.units = units.filter { unit in
      [".slice", ".scope", ".service"].contains { unit.hasSuffix($0) }
    }
    desktopFile = self.units.lazy.reversed().compactMap(Self.desktopFile).first
  }

  /// All that it is known by.
  var names: [String] { units + (desktopFile.map { [$0] } ?? []) }

  /// `app[-LAUNCHER]-ID-RANDOM.scope`, `app[-LAUNCHER]-ID[@RANDOM].service`.
  private static func desktopFile(_ unit: String) -> String? {
    guard unit.hasPrefix("app-") else { return nil }
    var parts: [Substring]
    if unit.hasSuffix(".scope") {
      parts = unit.dropLast(".scope".count).split(separator: "-")
      guard parts.count > 2 else { return nil }
      parts.removeLast()
    } else if unit.hasSuffix(".service") {
      parts = unit.dropLast(".service".count).prefix { $0 != "@" }.split(separator: "-")
    } else {
      return nil
    }
    guard parts.count > 1, let id = parts.last else { return nil }
    return unescaped(id) + ".desktop"
  }

  /// Undoes systemd-escape(1): `\x2d` for `-`.
  private static func unescaped(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let code = String(decoding: rest.prefix(3), as: UTF8.self)
      if byte == UInt8(ascii: "\\"), code.utf8.count == 3, code.hasPrefix("x"),
        let value = UInt8(code.dropFirst(), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
