import Glibc
import KithJSON

/// What somebody has asked for of a running product, in a file of the runtime folder: it lasts as long as the product does,
/// also when its host is killed.
struct HostWishes: Hashable {
  /// The workers that are not to run.
  var stopped: Set<String> = []
  /// From which level on workers log.
  var logLevels: [String: LogRecord.Level] = [:]

  /// The wishes in a file of this boot; none when there is no such file.
  init(path: String) {
    guard let bytes = try? DurableFile.read(path),
      let object = (try? JSONValue(parsing: bytes))?.objectValue,
      object["boot_id"]?.stringValue == ProcessIdentity.currentBootID
    else { return }
    stopped = Set((object["stopped"]?.arrayValue ?? []).compactMap(\.stringValue))
    for member in object["log_levels"]?.objectValue?.members ?? [] {
      logLevels[member.name] = member.value.stringValue.flatMap(LogRecord.Level.init)
    }
  }

  /// Writes them for a host that follows.
  func write(_ path: String) throws(SystemError) {
    let levels = JSONObject(
      logLevels.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value.rawValue)) })
    let value: JSONValue = [
      "boot_id": .string(ProcessIdentity.currentBootID),
      "stopped": .array(stopped.sorted().map { .string($0) }), "log_levels": .object(levels),
    ]
    // Not synced: after a crash of the machine all is as the manifest has it.
    let descriptor = try Descriptor.open(path + ".new", O_WRONLY | O_CREAT | O_TRUNC)
    try descriptor.writeAll(Array(value.text().utf8), to: path)
    guard rename(path + ".new", path) == 0 else { throw SystemError("rename \(path).new") }
  }
}
