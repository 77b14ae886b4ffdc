import Glibc
import HostContract
import KithJSON

/// What somebody has asked for of a running product, in a file of the runtime folder: it lasts as long as the product does,
/// also when its host is killed.
struct HostWishes: Equatable {
  /// The workers that are not to run.
  var stopped: Set<String> = []
  /// From which level on workers log.
  var logLevels: [String: LogRecord.Level] = [:]
  /// What was asked for each worker last, and by whom.
  var requests: [String: WorkerRequest] = [:]

  /// The wishes in a file of this boot; none when there is no such file.
  init(path: String) {
    guard let bytes = try? DurableFile.read(path),
      let object = (try? JSONValue(parsing: bytes))?.objectValue,
      object["boot_id"]?.stringValue == ProcessIdentity.currentBootID
    else { return }
    stopped = Set((object["stopped"]?.arrayValue ?? []).compactMap(\.stringValue))
    for member in object["requests"]?.objectValue?.members ?? [] {
      requests[member.name] = WorkerRequest(member.value)
    }
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
      "requests": .object(
        JSONObject(requests.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) })),
    ]
    // Not synced: after a crash of the machine all is as the manifest has it.
    let descriptor = try Descriptor.open(path + ".new", O_WRONLY | O_CREAT | O_TRUNC)
    try descriptor.writeAll(Array(value.text().utf8), to: path)
    guard rename(path + ".new", path) == 0 else { throw SystemError("rename \(path).new") }
  }
}

extension WorkerRequest {
  fileprivate init?(_ value: JSONValue) {
    guard let object = value.objectValue, let what = object["what"]?.stringValue,
      let at = object["at_ms"]?.integerValue,
      let pid = object["pid"]?.integerValue.flatMap(Int32.init(exactly:))
    else { return nil }
    self.init(
      what: what, atMs: at, pid: pid,
      uid: object["uid"]?.unsignedValue.flatMap(UInt32.init(exactly:)))
  }

  fileprivate var json: JSONValue {
    [
      "what": .string(what), "at_ms": .integer(atMs), "pid": .integer(Int64(pid)),
      "uid": uid.map { .unsigned(UInt64($0)) } ?? .null,
    ]
  }
}
