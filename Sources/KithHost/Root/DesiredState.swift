import FoundationEssentials
import Glibc
import HostContract
import KithJSON
import KithSupervision
import KithWire

/// The desired state of a running product, as far as it differs from the manifest: which workers
/// are stopped, how they log, what the virtual clocks show. It lasts as long as the product, also
/// when its host is killed.
struct DesiredState: Equatable {
  /// The workers that are not to run.
  var stopped: Set<String> = []
  /// From which level on workers log.
  var logLevels: [String: LogRecord.Level] = [:]
  /// What the clocks show; nil where they are the machine's.
  var virtualTime: ClockMove.Time?
  /// How the last process of each worker ended.
  var exits: [String: WorkerExit] = [:]
  /// What was asked for each worker last, and by whom.
  var requests: [String: WorkerRequest] = [:]

  /// Reads a file that was written since the machine's start. Without one nothing was asked for. A
  /// damaged file is renamed; the new name is returned.
  static func read(_ path: String) -> (state: DesiredState, damaged: String?) {
    guard let bytes = try? DurableFile.read(path) else { return (DesiredState(), nil) }
    guard let object = (try? JSONValue(parsing: bytes))?.objectValue,
      let boot = object["boot_id"]?.stringValue
    else {
      let kept = path + ".damaged"
      rename(path, kept)
      return (DesiredState(), kept)
    }
    return (boot == ProcessIdentity.currentBootID ? DesiredState(object) : DesiredState(), nil)
  }

  private init() {}

  private init(_ object: JSONObject) {
    stopped = Set((object["stopped"]?.arrayValue ?? []).compactMap(\.stringValue))
    if let time = object["virtual_time"]?.objectValue, let wall = time["wall_ms"]?.integerValue,
      let elapsed = time["elapsed_ms"]?.integerValue
    {
      virtualTime = ClockMove.Time(wallMilliseconds: wall, elapsedMilliseconds: elapsed)
    }
    for member in object["exits"]?.objectValue?.members ?? [] {
      exits[member.name] = member.value.stringValue
        .flatMap { Data(base64Encoded: $0) }.flatMap { try? WorkerExit(decoding: Array($0)) }
    }
    for member in object["requests"]?.objectValue?.members ?? [] {
      requests[member.name] = WorkerRequest(member.value)
    }
    for member in object["log_levels"]?.objectValue?.members ?? [] {
      logLevels[member.name] = member.value.stringValue.flatMap(LogRecord.Level.init)
    }
  }

  /// Writes the file for the next host.
  func write(_ path: String) throws(SystemError) {
    let levels = JSONObject(
      logLevels.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value.rawValue)) })
    let value: JSONValue = [
      "boot_id": .string(ProcessIdentity.currentBootID),
      "stopped": .array(stopped.sorted().map { .string($0) }), "log_levels": .object(levels),
      "virtual_time": virtualTime.map {
        [
          "wall_ms": .integer($0.wallMilliseconds), "elapsed_ms": .integer($0.elapsedMilliseconds),
        ]
      } ?? .null,
      "exits": .object(
        JSONObject(
          exits.sorted { $0.key < $1.key }.compactMap { name, exit in
            (try? exit.encoded()).map { (name, .string(Data($0).base64EncodedString())) }
          })),
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
