import Glibc

/// How far the stores of the workers have come, as they report it, in files where no worker can
/// write: a worker whose folder was removed, or replaced by an older one, learns so at its next
/// start.
///
/// A report may be older than the store, never newer. A file is written when a worker first tells
/// of a store, when it has ended, and once a minute in between.
struct StoreRecords {
  /// How far a store has come.
  struct Standing: Hashable, Sendable {
    /// The store's identity.
    var log: String
    /// How many transactions it has committed.
    var commits: Int64
  }

  /// A file that is to be written, on a thread that may wait for the disk.
  struct Writing: Hashable, Sendable {
    /// The folder of the files, in one that exists as long as the host's root does.
    var folder: String
    var worker: String
    var standing: Standing

    var path: String { "\(folder)/\(worker)" }

    /// Writes it, durably.
    func write() throws(SystemError) {
      let root = String(folder[..<(folder.lastIndex(of: "/") ?? folder.endIndex)])
      try DurableFile.createPrivateFolder(folder, in: root)
      try DurableFile.replace(path, with: Array("\(standing.log) \(standing.commits)\n".utf8))
    }
  }

  static let interval = Duration.seconds(60)

  /// The folder of the files, one for each worker.
  let folder: String
  private var reported: [String: Standing] = [:]
  private var written: [String: (standing: Standing, at: Duration)] = [:]

  /// The records in a folder, which need not be there.
  init(folder: String) { self.folder = folder }

  /// Takes in what a worker has reported; answers what is to be written now, if anything is.
  /// - Parameter now: the time since the host's start.
  mutating func report(_ standing: Standing, of worker: String, at now: Duration) -> Writing? {
    // A worker is not trusted with what it names itself.
    guard (1...100).contains(standing.log.utf8.count), standing.commits >= 0,
      standing.log.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    // Of two generations that share a store one may report later what it saw earlier.
    if let last = reported[worker], last.log == standing.log, last.commits >= standing.commits {
      return nil
    }
    reported[worker] = standing
    if let written = written[worker], written.standing.log == standing.log,
      now - written.at < Self.interval
    {
      return nil
    }
    return writing(of: worker, at: now)
  }

  /// A process of a worker has ended: answers what is to be written now, if anything is.
  mutating func end(of worker: String, at now: Duration) -> Writing? {
    written[worker]?.standing == reported[worker] ? nil : writing(of: worker, at: now)
  }

  private mutating func writing(of worker: String, at now: Duration) -> Writing? {
    guard let standing = reported[worker] else { return nil }
    written[worker] = (standing, now)
    return Writing(folder: folder, worker: worker, standing: standing)
  }

  /// What a worker's store is known to have come to; nil when it is known of none.
  /// - Throws: `SystemError` when the file cannot be read, or holds something else.
  func known(of worker: String) throws(SystemError) -> Standing? {
    if let reported = reported[worker] { return reported }
    let path = path(of: worker)
    guard let bytes = try DurableFile.read(path, limit: 4096) else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
    let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
    guard lines.count == 2, lines[1].isEmpty, words.count == 2, !words[0].isEmpty,
      let commits = Int64(words[1])
    else {
      throw SystemError("read \(path), which does not say how far a store has come", code: EBADMSG)
    }
    return Standing(log: String(words[0]), commits: commits)
  }

  private func path(of worker: String) -> String { "\(folder)/\(worker)" }
}
