import Glibc
import KithManifest
import KithReflection
import KithTerminal
import KithVerbs

/// The contracts of a worker's process, kept beside the host's own files for the commands that
/// follow.
///
/// They belong to one process, by its socket: another process has another one, and is asked anew.
/// Workers cannot reach the file; a file that is damaged counts as none.
struct KeptContracts {
  private let path: String
  /// The worker's process; nil where it is on another machine, whose contracts are not kept.
  private let process: String?

  /// Those of the worker at this address.
  init(_ places: ProductPlaces, worker: String, address: String) {
    path = places.contractsFile(worker: worker)
    process = Self.identity(ofSocket: address)
  }

  private static let title = "kith contracts 1"

  /// What the worker said when it was asked; nil when it was not.
  func read() -> WorkerContracts? {
    guard let process, access(path, R_OK) == 0,
      let bytes = try? SystemValueReader().bytes(ofFile: path)
    else { return nil }
    let parts = bytes.split(separator: 0x0A, maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0].elementsEqual(Self.title.utf8),
      parts[1].elementsEqual(process.utf8)
    else { return nil }
    return try? WorkerContracts(
      services: String(decoding: parts[2], as: UTF8.self).split(separator: " ").map(String.init),
      descriptorSet: Array(parts[3]))
  }

  /// Keeps what a worker says of itself, if that can be written.
  func keep(_ contracts: WorkerContracts) {
    guard let process else { return }
    let head = "\(Self.title)\n\(process)\n\(contracts.services.joined(separator: " "))\n"
    let bytes = Array(head.utf8) + contracts.descriptorSet
    let draft = "\(path).\(getpid())"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    let isWritten = write(descriptor, bytes, bytes.count) == bytes.count
    guard close(descriptor) == 0, isWritten, rename(draft, path) == 0 else {
      unlink(draft)
      return
    }
  }

  /// Which socket stands at an address: another one there has another identity.
  private static func identity(ofSocket address: String) -> String? {
    guard address.hasPrefix("ipc://") else { return nil }
    let socket = address.dropFirst("ipc://".count)
    var status = stat()
    guard lstat(String(socket), &status) == 0 else { return nil }
    let made = status.st_ctim
    return "\(socket) \(status.st_dev) \(status.st_ino) \(made.tv_sec).\(made.tv_nsec)"
  }
}
