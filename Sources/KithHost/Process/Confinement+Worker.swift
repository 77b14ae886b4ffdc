import Glibc
import KithManifest
import KithPlanning

extension Confinement {
  /// Where programs and what they need at run time lie, on any Linux.
  static let system = [
    "/bin", "/etc", "/gnu", "/lib", "/lib32", "/lib64", "/nix", "/opt", "/proc", "/sbin", "/sys",
    "/usr",
  ]
  /// Devices that any program may use.
  static let devices = [
    "/dev/full", "/dev/null", "/dev/random", "/dev/tty", "/dev/urandom", "/dev/zero",
  ]

  /// What a worker may reach: its own state to write, its plugin and the system to read, its
  /// product's sockets, and of the network what its manifests grant.
  /// - Parameters:
  ///   - state: its state folder; empty in a product that keeps nothing.
  ///   - sockets: the folder of its own socket.
  ///   - runtime: the folder of all sockets of the product.
  ///   - remoteServices: the product's services on other machines.
  init(
    of worker: PlannedWorker, state: String, sockets: String, runtime: String,
    remoteServices: [RemoteService]
  ) {
    confinesFiles = true
    keepsToItself = true
    confinesCalls = true
    root = try? PrivateRoot.way.get()
    devices = Self.devices
    socketFolders = [sockets]
    visible = [runtime]
    writable = state.isEmpty ? [] : [state]
    readable = Self.system + Self.libraryFolders
    readable += [worker.pluginDirectory, Self.folder(of: worker.executablePath)]
    let required = worker.requires.map(\.name)
    let used = remoteServices.filter { required.contains($0.service) }.map(\.endpoint)
    for credentials in (used + [worker.listen].compactMap(\.self)).compactMap(\.credentials) {
      // The folder and not the file: a renewed certificate is another file under the same name.
      readable += [credentials.authorities, credentials.certificate, credentials.privateKey]
        .map(Self.folder)
    }
    listeningPorts = [worker.listen?.port, worker.http?.port].compactMap(\.self)
    outboundPorts = worker.network.ports.map { $0 + used.map(\.port) }
    // Where the system keeps the addresses of name servers.
    if !isOffTheNetwork { readable.append("/run/systemd/resolve") }
  }

  /// The folders of the libraries that this process runs with: a worker may need those of Swift's
  /// toolchain, wherever it is.
  static let libraryFolders: [String] = {
    guard let maps = try? DurableFile.read("/proc/self/maps") else { return [] }
    let paths = String(decoding: maps, as: UTF8.self).split(separator: "\n")
      .compactMap { line in line.firstIndex(of: "/").map { String(line[$0...]) } }
      .filter { $0.contains(".so") }
    return Set(paths.map(folder)).sorted()
  }()

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
  }
}
