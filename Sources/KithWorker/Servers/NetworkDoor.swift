import Glibc
import KithIdentity
import KithRPC
import KithTransportNng
import Logging
import Synchronization
import WorkerContract

/// Where a worker's own services are to be had from other machines, once it is ready.
///
/// A server of its own: what the host leads the worker by is never served there.
final class NetworkDoor: Sendable {
  /// How often the files of the certificates are looked at.
  static let reloadInterval = Duration.seconds(10)

  private let listener: NngListener
  private let server: RPCServer
  private let files: [String]
  /// What the files held before they were read, so that no change between the two is missed.
  private let versionsAtFirst: [FileVersion]
  private let logger: Logger

  /// A door that is still closed.
  init(
    _ record: NetworkListener, services: [ServiceDefinition],
    budget: MessageBudget = MessageBudget(), interceptors: [any ServerInterceptor], logger: Logger,
    log: ConnectionLog
  ) {
    self.logger = logger
    files = record.insecure ? [] : [record.authorities, record.certificate, record.privateKey]
    versionsAtFirst = files.map(FileVersion.init)
    listener = NngListener(
      address: record.address,
      security: record.insecure
        ? .insecure
        : .mutualTLS(
          TLSCredentials(
            authorities: record.authorities, certificate: record.certificate,
            privateKey: record.privateKey)))
    let isInsecure = record.insecure
    let people: Principal.People =
      record.actsForUsers ? .everybody : .only(Set(record.actsFor))
    server = RPCServer(
      services: services, limits: .connections(inPartOfOpenFiles: 0.25), budget: budget,
      interceptors: interceptors, authorize: { isInsecure || $0.hasCertificate },
      identify: { method, _, peer throws(RPCError) in
        let principal: Principal =
          peer.hasCertificate ? .certificate(people: people) : .stranger
        try method.check(principal)
        return principal
      }, unmappedError: log.handlerFailed,
      brokenConnection: log.connectionBroke)
  }

  /// Lets callers in.
  /// - Throws: what is wrong with the address or the files.
  func open() throws(RPCError) {
    try server.start(on: listener)
    logger.info("listening on the network", metadata: ["address": "\(listener.address)"])
  }

  /// Takes over certificates that were renewed, until the task is cancelled.
  func watchCertificates(every interval: Duration = NetworkDoor.reloadInterval) async {
    guard !files.isEmpty else { return }
    var known = versionsAtFirst
    while (try? await Task.sleep(for: interval)) != nil {
      let found = files.map(FileVersion.init)
      guard found != known else { continue }
      known = found
      do throws(RPCError) {
        try listener.reloadCredentials()
        logger.notice("certificates were renewed")
      } catch {
        logger.error(
          "renewed certificates cannot be used; those before are used on",
          metadata: ["reason": "\(error.message)"])
      }
    }
  }

  /// Tells callers to go elsewhere with their next calls.
  func announceLeaving() { server.announceLeaving() }

  /// Takes no new calls; those in progress go on.
  func beginGracefulShutdown() { server.beginGracefulShutdown() }

  /// Returns when no call is in progress.
  func waitUntilIdle() async { await server.waitUntilIdle() }

  /// Ends everything now.
  func close() { server.close() }
}

/// What tells one content of a file from another.
private struct FileVersion: Equatable {
  private var inode: UInt64 = 0
  private var size: Int64 = 0
  private var seconds = 0
  private var nanoseconds = 0

  init(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return }
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }
}
