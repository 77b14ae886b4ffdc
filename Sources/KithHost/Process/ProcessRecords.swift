import Glibc
import KithJSON
import KithSupervision

/// Which processes run, in files of the runtime folder: for a host that starts after another was killed.
///
/// A record is written before the process learns what it is to do, so that no worker ever works unrecorded.
struct ProcessRecords {
  /// A process that was recorded.
  struct Record: Hashable {
    var incarnation: Incarnation
    var identity: ProcessIdentity
    var socket: String
  }

  private static let suffix = ".process"
  let folder: String

  /// Records a process.
  func add(_ record: Record) throws(SystemError) {
    let value: JSONValue = [
      "worker": .string(record.incarnation.worker),
      "generation": .unsigned(record.incarnation.generation),
      "pid": .integer(Int64(record.identity.pid)),
      "start_ticks": .unsigned(record.identity.startTicks),
      "boot_id": .string(record.identity.bootID), "socket": .string(record.socket),
    ]
    let path = path(of: record.incarnation)
    // Not synced: after a crash of the machine there is no process that it could tell of.
    let descriptor = try Descriptor.open(path + ".new", O_WRONLY | O_CREAT | O_TRUNC)
    try descriptor.writeAll(Array(value.text().utf8), to: path)
    guard rename(path + ".new", path) == 0 else { throw SystemError("rename \(path).new") }
  }

  /// Forgets a process that has ended, with its socket.
  func remove(_ incarnation: Incarnation, socket: String) {
    unlink(path(of: incarnation))
    unlink(socket)
  }

  /// All records that can be read.
  func all() throws(SystemError) -> [Record] {
    var records: [Record] = []
    for name in try DurableFile.names(in: folder) where name.hasSuffix(Self.suffix) {
      guard let bytes = try DurableFile.read("\(folder)/\(name)"),
        let object = (try? JSONValue(parsing: bytes))?.objectValue,
        let worker = object["worker"]?.stringValue,
        let generation = object["generation"]?.unsignedValue,
        let pid = object["pid"]?.integerValue.flatMap(Int32.init(exactly:)), pid > 1,
        let ticks = object["start_ticks"]?.unsignedValue,
        let bootID = object["boot_id"]?.stringValue, let socket = object["socket"]?.stringValue
      else { continue }
      records.append(
        Record(
          incarnation: Incarnation(worker: worker, generation: generation),
          identity: ProcessIdentity(pid: pid, startTicks: ticks, bootID: bootID), socket: socket))
    }
    return records
  }

  /// Removes what hosts and workers that are gone left behind. Only for the holder of the root's lock, when no worker runs.
  func clear() throws(SystemError) {
    for name in try DurableFile.names(in: folder)
    where [Self.suffix, ".new", ".sock"].contains(where: name.hasSuffix) {
      let path = "\(folder)/\(name)"
      var status = stat()
      // What is no socket was never a worker's: whoever listens there next says that it is in the way.
      guard
        !name.hasSuffix(".sock") || lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
      else { continue }
      unlink(path)
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
