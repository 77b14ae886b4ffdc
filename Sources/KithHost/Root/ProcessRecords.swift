import FoundationEssentials
import Glibc
import KithJSON
import KithManifest
import KithSupervision

/// Which processes run, in files of the host's folder: for a host that starts after another was
/// killed.
///
/// A record is written before the process learns what it is to do, so that no worker ever works
/// unrecorded. It holds the incarnation's secret: mode 0600, in a folder of mode 0700 that no
/// worker's sandbox reaches.
struct ProcessRecords {
  /// A process that was recorded.
  struct Record: Hashable {
    /// How far the host has led it.
    enum Phase: String, Hashable {
      case starting
      case serving
      case ending
    }

    var incarnation: Incarnation
    var identity: ProcessIdentity
    var socket: String
    /// What both sides prove who they are with.
    var secret: [UInt8]
    /// What it was started from: two definitions with the same digest make the same process.
    var digest: String
    /// The folder of its plugin.
    var pluginDirectory: String
    var phase = Phase.starting
    /// When it first was ready, in milliseconds since 1970; nil when it never was.
    var readySince: Int64?
  }

  private static let suffix = ".process"
  /// Where the records are.
  let folder: String
  /// The folder of the sockets.
  let runtimeDirectory: String

  init(_ places: ProductPlaces) {
    folder = places.hostDirectory
    runtimeDirectory = places.runtimeDirectory
  }

  /// Records a process, or how far it is by now.
  func write(_ record: Record) throws(SystemError) {
    let value: JSONValue = [
      "worker": .string(record.incarnation.worker),
      "generation": .unsigned(record.incarnation.generation),
      "pid": .integer(Int64(record.identity.pid)),
      "start_ticks": .unsigned(record.identity.startTicks),
      "boot_id": .string(record.identity.bootID), "socket": .string(record.socket),
      "secret": .string(Data(record.secret).base64EncodedString()),
      "digest": .string(record.digest), "plugin_directory": .string(record.pluginDirectory),
      "phase": .string(record.phase.rawValue),
      "ready_since_ms": record.readySince.map { .integer($0) } ?? .null,
    ]
    let path = path(of: record.incarnation)
    // Not synced: after a crash of the machine there is no process that it could tell of.
    let descriptor = try Descriptor.open(path + ".new", O_WRONLY | O_CREAT | O_TRUNC)
    try descriptor.writeAll(Array(value.text().utf8), to: path)
    guard rename(path + ".new", path) == 0 else { throw SystemError("rename \(path).new") }
  }

  /// Forgets a process that has ended, with its socket.
  func remove(_ incarnation: Incarnation) {
    unlink(path(of: incarnation))
    Self.removeSockets("\(runtimeDirectory)/\(incarnation)")
  }

  /// Removes the folder of an incarnation's sockets: it could make nothing else there.
  private static func removeSockets(_ folder: String) {
    for name in (try? DurableFile.names(in: folder)) ?? [] { unlink("\(folder)/\(name)") }
    rmdir(folder)
  }

  /// All records that were written since the machine was started, and the paths of files that are
  /// none though they should be.
  func all() throws(SystemError) -> (records: [Record], damaged: [String]) {
    var (records, damaged): ([Record], [String]) = ([], [])
    for name in try DurableFile.names(in: folder) where name.hasSuffix(Self.suffix) {
      let file = "\(folder)/\(name)"
      guard let bytes = try DurableFile.read(file) else { continue }
      // What names files is never taken from a file alone.
      guard let record = Record(bytes), path(of: record.incarnation) == file else {
        damaged.append(file)
        continue
      }
      if record.identity.bootID == ProcessIdentity.currentBootID { records.append(record) }
    }
    return (records, damaged)
  }

  /// The processes whose output waits in spools.
  func spooled() throws(SystemError) -> Set<Incarnation> {
    var found: Set<Incarnation> = []
    for name in try DurableFile.names(in: folder) {
      let parts = name.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 3, parts[2] == "out" || parts[2] == "err", !parts[0].isEmpty,
        let generation = UInt64(parts[1]), generation <= Incarnation.largestGeneration
      else { continue }
      let incarnation = Incarnation(worker: String(parts[0]), generation: generation)
      if name.hasPrefix("\(incarnation).") { found.insert(incarnation) }
    }
    return found
  }

  /// Removes what hosts and workers that are gone left behind, spools apart. Only for the holder of
  /// the root's lock.
  func clear(besides running: [Record]) throws(SystemError) {
    let kept = Set(running.map { path(of: $0.incarnation) })
    for name in try DurableFile.names(in: folder)
    where [Self.suffix, ".new"].contains(where: name.hasSuffix) {
      let path = "\(folder)/\(name)"
      if !kept.contains(path) { unlink(path) }
    }
    let leads = Set(running.map(\.incarnation.description))
    for name in try DurableFile.names(in: runtimeDirectory) where !leads.contains(name) {
      let parts = name.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 2, UInt64(parts[1]) != nil else { continue }
      Self.removeSockets("\(runtimeDirectory)/\(name)")
    }
  }

  /// Whether a record could be written now.
  /// - Throws: what stands in the way: no room, say.
  func checkRoom() throws(SystemError) {
    let path = "\(folder)/room.new"
    defer { unlink(path) }
    let descriptor = try Descriptor.open(path, O_WRONLY | O_CREAT | O_TRUNC)
    // A page: a file of some bytes may fit where the next does not.
    try descriptor.writeAll([UInt8](repeating: 0, count: 4096), to: path)
  }

  private func path(of incarnation: Incarnation) -> String {
    "\(folder)/\(incarnation)\(Self.suffix)"
  }
}

extension ProcessRecords.Record {
  /// The record of a file; nil when it is none.
  fileprivate init?(_ bytes: [UInt8]) {
    guard let object = (try? JSONValue(parsing: bytes))?.objectValue,
      let worker = object["worker"]?.stringValue,
      let generation = object["generation"]?.unsignedValue,
      generation <= Incarnation.largestGeneration,
      let pid = object["pid"]?.integerValue.flatMap(Int32.init(exactly:)), pid > 1,
      let ticks = object["start_ticks"]?.unsignedValue,
      let bootID = object["boot_id"]?.stringValue, let socket = object["socket"]?.stringValue,
      let secret = object["secret"]?.stringValue.flatMap({ Data(base64Encoded: $0) }),
      let digest = object["digest"]?.stringValue,
      let pluginDirectory = object["plugin_directory"]?.stringValue,
      let phase = object["phase"]?.stringValue.flatMap(Phase.init)
    else { return nil }
    self.init(
      incarnation: Incarnation(worker: worker, generation: generation),
      identity: ProcessIdentity(pid: pid, startTicks: ticks, bootID: bootID), socket: socket,
      secret: Array(secret), digest: digest, pluginDirectory: pluginDirectory, phase: phase,
      readySince: object["ready_since_ms"]?.integerValue)
  }
}
