import GRDB
import Glibc
import KithSealing

extension ProductStores {
  /// What was destroyed, and the proof.
  public struct Erasure: Sendable, Hashable {
    /// A file that was overwritten and removed.
    public struct File: Sendable, Hashable {
      /// Where it was.
      public var path: String
      /// How large it was.
      public var bytes: Int
    }

    /// Something that was looked at afterwards.
    public struct Check: Sendable, Hashable {
      /// What was looked at, in plain words.
      public var what: String
      /// Whether it is as it must be.
      public var holds: Bool
    }

    /// The key's file, or its files, first.
    public var files: [File]
    /// What was looked at afterwards.
    public var checks: [Check]

    /// Whether nothing is left.
    public var isProven: Bool { checks.allSatisfy(\.holds) }
  }

  /// Destroys the key, which makes all that it has sealed unreadable, then every file of every
  /// worker: overwritten, then removed, write-ahead logs and backups beside included. No worker may
  /// run. When it is cut short, it can be called again.
  ///
  /// The proof keeps something that the key has sealed and has opened just before, and fails to
  /// open it afterwards; looks for files that are left; and for processes that still hold one open.
  /// - Throws: ``StoreError`` when a worker runs, or a file cannot be removed.
  public func erase() throws(StoreError) -> Erasure {
    let samples = workers.compactMap(sample)
    let openedBefore = samples.filter(opens).count
    var erasure = Erasure(files: try destroyAll(), checks: [])
    let keyFolder = Self.keyFolder(of: stateDirectory)
    let holders = Self.holders(of: stateDirectory)
    let left =
      Folder.names(in: keyFolder).count + Folder.names(in: workersDirectory).count
    erasure.checks = [
      Erasure.Check(
        what: "no key is at \(keyFile.path)", holds: access(keyFile.path, F_OK) != 0),
      Erasure.Check(what: "no file is left below \(workersDirectory)", holds: left == 0),
      Erasure.Check(
        what:
          "\(samples.count) sealed values that were kept for this check, of which the key opened "
          + "\(openedBefore), do not open any more",
        holds: !samples.contains(where: opens)),
      Erasure.Check(
        what: "no process holds a file of it open"
          + (holders.isEmpty
            ? ""
            : ": \(holders.map(String.init).joined(separator: ", ")) \(holders.count == 1 ? "does" : "do")"),
        holds: holders.isEmpty),
    ]
    return erasure
  }

  private func destroyAll() throws(StoreError) -> [Erasure.File] {
    var locks: [FolderLock] = []
    for worker in Folder.names(in: workersDirectory) {
      locks.append(try FolderLock(folder(of: worker), .exclusive))
    }
    defer { withExtendedLifetime(locks) {} }
    var files: [Erasure.File] = []
    let keyFolder = Self.keyFolder(of: stateDirectory)
    // The key first: from then on the rest tells nothing, whatever becomes of this process.
    let folders = [keyFolder, workersDirectory, Self.recordsFolder(of: stateDirectory)]
    for path in folders.flatMap(Folder.files) { files.append(try Self.destroy(path)) }
    for folder in folders { Folder.removeEmpty(folder) }
    return files
  }

  private struct Sample {
    var worker: String
    var sealed: [UInt8]
  }

  /// Something sealed of a worker's store; nil when that cannot be read.
  private func sample(_ worker: String) -> Sample? {
    var reading = Configuration()
    reading.readonly = true
    guard let queue = try? RegularFile.openDatabase(path(of: worker), reading) else {
      return nil
    }
    // Else this process is the one that still holds the file.
    defer { try? queue.close() }
    let sealed = try? queue.read(StoreSealing.sample)
    return sealed.flatMap { $0 }.map { Sample(worker: worker, sealed: $0) }
  }

  private func opens(_ sample: Sample) -> Bool {
    guard let keys = try? keys(of: sample.worker) else { return false }
    return StoreSealing.opens(sample.sealed, keys)
  }

  /// Overwrites a file with zeros and removes it.
  private static func destroy(_ path: String) throws(StoreError) -> Erasure.File {
    var status = stat()
    let size = lstat(path, &status) == 0 ? Int(status.st_size) : 0
    // What is no regular file has no content of its own to overwrite.
    if let file = try? RegularFile.open(path, O_WRONLY) {
      let zeros = [UInt8](repeating: 0, count: 1 << 20)
      var done = 0
      while done < size {
        let count = pwrite(file, zeros, min(zeros.count, size - done), off_t(done))
        guard count > 0 else { break }
        done += count
      }
      fsync(file)
      close(file)
    }
    guard unlink(path) == 0 else {
      throw StoreError(
        .inputOutput, "\(path) cannot be removed: \(String(cString: strerror(errno)))")
    }
    try DurableCopy.syncFolder(of: path)
    return Erasure.File(path: path, bytes: size)
  }

  /// The processes of this user that have a file below a product's folder open, removed ones
  /// included.
  private static func holders(of folder: String) -> [Int32] {
    Folder.names(in: "/proc").compactMap(Int32.init).filter { pid in
      Folder.names(in: "/proc/\(pid)/fd").contains { descriptor in
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/\(pid)/fd/\(descriptor)", &buffer, buffer.count - 1)
        guard count > 0 else { return false }
        let target = String(
          decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return target.hasPrefix("\(folder)/keys/") || target.hasPrefix("\(folder)/workers/")
      }
    }
  }
}
