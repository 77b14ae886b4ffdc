import KithJSON

/// The highest generation that was ever given to each worker of a root; on disk before it is used, so that none is ever
/// given twice.
struct GenerationCounter {
  let path: String
  private var highest: [String: UInt64]

  /// Reads the counts of a root; none at all when it is new.
  init(path: String) throws(HostFailure) {
    self.path = path
    highest = [:]
    let bytes: [UInt8]
    do {
      guard let content = try DurableFile.read(path) else { return }
      bytes = content
    } catch {
      throw HostFailure(.cannotCreate, "\(error)")
    }
    guard let object = (try? JSONValue(parsing: bytes))?.objectValue else {
      throw Self.unreadable(path)
    }
    for member in object.members {
      guard let count = member.value.unsignedValue else { throw Self.unreadable(path) }
      highest[member.name] = count
    }
  }

  /// The highest generation of a worker; 0 when there was none.
  subscript(worker: String) -> UInt64 { highest[worker] ?? 0 }

  /// Takes note that a generation is about to be used.
  mutating func use(_ generation: UInt64, of worker: String) throws(SystemError) {
    var counts = highest
    counts[worker] = max(counts[worker] ?? 0, generation)
    let members = counts.sorted { $0.key < $1.key }
    var object = JSONObject()
    for (name, count) in members { object[name] = .unsigned(count) }
    try DurableFile.replace(path, with: Array((JSONValue.object(object).text() + "\n").utf8))
    highest = counts
  }

  private static func unreadable(_ path: String) -> HostFailure {
    HostFailure(
      .badInput,
      "\(path) does not hold the workers' generations as the host wrote them; "
        + "with all workers of this root ended, remove the file to count from 1 again")
  }
}
