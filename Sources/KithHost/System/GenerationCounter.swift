import KithJSON

/// The generations of a root's workers, none of which is ever given twice, whenever the host or the machine goes down.
///
/// The file says up to which generation each worker's may have been used. It is written ahead of use, a few generations at
/// a time, so that the restart of a worker that died does not wait for the disk; and once more at the end with what was
/// really used, so that only a host that was killed leaves a gap in the count.
struct GenerationCounter {
  /// How many generations are reserved at a time.
  static let reservation: UInt64 = 16

  let path: String
  private var used: [String: UInt64]
  private var reserved: [String: UInt64]

  /// Reads the counts of a root, none at all when it is new, and reserves the next generations of these workers.
  init(path: String, workers: [String]) throws(HostFailure) {
    self.path = path
    used = [:]
    reserved = [:]
    do throws(SystemError) {
      if let bytes = try DurableFile.read(path) {
        guard let object = (try? JSONValue(parsing: bytes))?.objectValue else {
          throw SystemError("", code: 0)
        }
        for member in object.members {
          guard let count = member.value.unsignedValue else { throw SystemError("", code: 0) }
          used[member.name] = count
        }
      }
    } catch {
      guard error.code == 0 else { throw HostFailure(.cannotCreate, "\(error)") }
      throw HostFailure(
        .badInput,
        "\(path) does not hold the workers' generations as the host wrote them; "
          + "with all workers of this root ended, remove the file to count from 1 again")
    }
    reserved = used
    do throws(SystemError) {
      try apply(reservation(for: workers))
    } catch {
      throw HostFailure(.cannotCreate, "\(error)")
    }
  }

  /// The highest generation of a worker that may have been used; 0 when there was none.
  subscript(worker: String) -> UInt64 { used[worker] ?? 0 }

  /// Takes note that a generation is about to be used. Waits for the disk only when more was used than reserved ahead.
  mutating func use(_ generation: UInt64, of worker: String) throws(SystemError) {
    if generation > reserved[worker] ?? 0 {
      used[worker] = max(used[worker] ?? 0, generation - 1)
      try apply(reservation(for: [worker]))
    }
    used[worker] = max(used[worker] ?? 0, generation)
  }

  /// Whether a worker's reserved generations should be added to before they run out.
  func runsLow(_ worker: String) -> Bool {
    (reserved[worker] ?? 0) < (used[worker] ?? 0) + Self.reservation / 2
  }

  /// A reservation that can be written on another thread; `accept` it once it is on disk.
  func reservation(for workers: [String]) -> Reservation {
    var counts = reserved
    for worker in workers { counts[worker] = (used[worker] ?? 0) + Self.reservation }
    return Reservation(path: path, counts: counts)
  }

  /// Takes note that a reservation is on disk.
  mutating func accept(_ reservation: Reservation) {
    reserved.merge(reservation.counts) { max($0, $1) }
  }

  /// Writes what was really used, when nothing will be started any more.
  func close() throws(SystemError) {
    try Reservation(path: path, counts: used).write()
  }

  private mutating func apply(_ reservation: Reservation) throws(SystemError) {
    try reservation.write()
    accept(reservation)
  }

  /// Counts to be written.
  struct Reservation: Hashable, Sendable {
    let path: String
    let counts: [String: UInt64]

    /// Writes them; they are on disk when this returns.
    func write() throws(SystemError) {
      let object = JSONObject(
        counts.sorted { $0.key < $1.key }.map { ($0.key, JSONValue($0.value)) })
      try DurableFile.replace(path, with: Array((JSONValue.object(object).text() + "\n").utf8))
    }
  }
}
