import Glibc

/// The keys of a product as its host has them: where they are, and whether a first key may be made.
///
/// The key is there before the first file of any worker, so that a worker's file without a key
/// tells of a key that was lost.
public struct ProductKeys: Sendable {
  /// The file of the ring.
  public let file: KeyRingFile
  /// The folder in which each worker keeps its files in one of its own.
  public let workersDirectory: String

  /// The keys of the product that has its ring and its workers' folders there.
  public init(file: KeyRingFile, workersDirectory: String) {
    self.file = file
    self.workersDirectory = workersDirectory
  }

  /// The ring; a new one, durably, for a product of which no worker has kept anything yet. Its
  /// folder must be there.
  /// - Throws: ``SealingError`` as ``KeyRingFile/read()``: a ring that is missing beside data, or
  ///   damaged, is never replaced.
  public func ring() throws(SealingError) -> KeyRing {
    if let ring = try file.readIfThere() { return ring }
    if let kept = try keptFile() {
      throw SealingError(
        "\(file.path): the sealing key is missing, and \(kept) was kept under it; bring the key's file "
          + "back from where it was kept, or restore a backup that has it in it (`kith restore FILE "
          + "--passphrase-file FILE`), or give up what is kept: `kith erase`")
    }
    try file.makeIfMissing()
    return try file.read()
  }

  /// A file that a worker keeps; nil when there is none.
  private func keptFile() throws(SealingError) -> String? {
    for worker in try Self.names(in: workersDirectory) {
      let folder = "\(workersDirectory)/\(worker)"
      if let name = try Self.names(in: folder).first { return "\(folder)/\(name)" }
    }
    return nil
  }

  /// The names in a folder; none when there is no such folder.
  private static func names(in folder: String) throws(SealingError) -> [String] {
    guard let directory = opendir(folder) else {
      if errno == ENOENT || errno == ENOTDIR { return [] }
      // What cannot be looked at may be data.
      throw SealingError(
        "\(folder) cannot be read (\(String(cString: strerror(errno)))), so that it is not known whether "
          + "there is data whose sealing key is missing; make it readable for its owner")
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      // The last is not a worker's: mkfs(8) makes it in a file system that is mounted there.
      if ![".", "..", "lost+found"].contains(name) { names.append(name) }
    }
    return names.sorted()
  }
}
