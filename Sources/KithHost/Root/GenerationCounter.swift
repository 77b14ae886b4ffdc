import Glibc
import KithJSON
import KithSupervision
import Synchronization

/// The generations of a root's workers, none of which is ever given twice, whenever the host or the
/// machine goes down.
///
/// The file says up to which generation each worker's may have been used. It is written ahead of
/// use, a few generations at a time, so that the restart of a worker that died does not wait for
/// the disk; and once more at the end with what was really used, so that only a host that was
/// killed leaves a gap in the count.
struct GenerationCounter {
  /// How many generations are reserved at a time.
  static let reservation: UInt64 = 16

  /// What became of a file that did not hold counts; nil when it did.
  let damage: String?
  private let file: File
  private var used: [String: UInt64]
  /// What is known to be on disk.
  private var reserved: [String: UInt64]
  /// What was asked to be written; at least `reserved`.
  private var requested: [String: UInt64]
  private var requests: UInt64 = 0

  /// Reads the counts of a root, none at all when it is new, and reserves the next generations of
  /// these workers.
  ///
  /// - Parameters:
  ///   - told: the highest generations that everything else in the root tells of: what is counted
  ///     on from when the file is
  ///     damaged, which is kept beside.
  ///   - advice: says what a system's error means for whoever starts the host.
  init(
    path: String, workers: [String], told: () -> [String: UInt64] = { [:] },
    advice: (SystemError) -> String = { "\($0)" }
  ) throws(HostFailure) {
    file = File(path: path)
    do throws(SystemError) {
      let bytes = try DurableFile.read(path)
      if let counts = bytes.map(Self.counts) ?? [:] {
        used = counts
        damage = nil
      } else {
        // Nor is a generation sound that another file tells of and that no host can have given.
        used = told().filter { $0.value <= Incarnation.largestGeneration }
        let kept = path + ".damaged"
        guard rename(path, kept) == 0 else { throw SystemError("rename \(path)") }
        damage =
          "\(path) did not hold the workers' generations as the host wrote them, and is kept as \(kept); "
          + "they are counted on from what processes and logs tell"
      }
      reserved = used
      requested = used
      try reserve(workers)
    } catch {
      throw HostFailure(.cannotCreate, advice(error))
    }
  }

  /// The counts in a file; nil when it does not hold any.
  private static func counts(_ bytes: [UInt8]) -> [String: UInt64]? {
    guard let object = (try? JSONValue(parsing: bytes))?.objectValue else { return nil }
    var counts: [String: UInt64] = [:]
    for member in object.members {
      guard let count = member.value.unsignedValue, count <= Incarnation.largestGeneration else {
        return nil
      }
      counts[member.name] = count
    }
    return counts
  }

  /// The highest generation of a worker that may have been used; 0 when there was none.
  subscript(worker: String) -> UInt64 { used[worker] ?? 0 }

  /// Takes note that a generation is about to be used. Waits for the disk only when more was used
  /// than reserved ahead.
  mutating func use(_ generation: UInt64, of worker: String) throws(SystemError) {
    if generation > reserved[worker] ?? 0 {
      used[worker] = max(used[worker] ?? 0, generation - 1)
      try reserve([worker])
    }
    used[worker] = max(used[worker] ?? 0, generation)
  }

  /// Whether a worker's reserved generations should be added to before they run out.
  func runsLow(_ worker: String) -> Bool {
    (requested[worker] ?? 0) < (used[worker] ?? 0) + Self.reservation / 2
  }

  /// A reservation that can be written on another thread; `accept` it once it is on disk.
  mutating func reservation(for workers: [String]) -> Reservation {
    for worker in workers { requested[worker] = (used[worker] ?? 0) + Self.reservation }
    requests += 1
    return Reservation(file: file, number: requests, counts: requested)
  }

  /// Takes note that a reservation is on disk.
  mutating func accept(_ reservation: Reservation) {
    reserved.merge(reservation.counts) { max($0, $1) }
  }

  /// Writes what was really used, when nothing will be started any more.
  func close() throws(SystemError) {
    try Reservation(file: file, number: requests + 1, counts: used).write()
  }

  private mutating func reserve(_ workers: [String]) throws(SystemError) {
    let reservation = reservation(for: workers)
    try reservation.write()
    accept(reservation)
  }

  /// Counts to be written.
  struct Reservation: Sendable {
    fileprivate let file: File
    fileprivate let number: UInt64
    fileprivate let counts: [String: UInt64]

    /// Writes them; they are on disk when this returns.
    func write() throws(SystemError) {
      let object = JSONObject(
        counts.sorted { $0.key < $1.key }.map { ($0.key, JSONValue($0.value)) })
      try file.write(Array((JSONValue.object(object).text() + "\n").utf8), number: number)
    }
  }

  /// The file, written by one thread at a time and never with less than it holds.
  fileprivate final class File: Sendable {
    let path: String
    private let written = Mutex<UInt64>(0)

    init(path: String) {
      self.path = path
    }

    /// Writes, unless something newer has been written, which holds all that the older had.
    func write(_ bytes: [UInt8], number: UInt64) throws(SystemError) {
      try written.withLock { (written: inout UInt64) throws(SystemError) in
        guard number > written else { return }
        try DurableFile.replace(path, with: bytes)
        written = number
      }
    }
  }
}
