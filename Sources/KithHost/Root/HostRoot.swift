import Glibc
import KithManifest
import KithSupervision

/// The root of a product for as long as its host holds it: the lock, and the records of processes
/// for the next host.
///
/// A root that is lost may be another host's, so nothing is written there any more; it never comes
/// back.
struct HostRoot {
  /// The root's folders and files.
  let places: ProductPlaces
  /// The records of an earlier host, and of this one.
  let records: ProcessRecords
  /// Whether the root was moved or removed.
  private(set) var isLost = false
  let lock: RootLock

  /// Makes the folders of a product and takes its root.
  /// - Throws: `HostFailure` when another host holds it, it is another product's, or it cannot be
  ///   written.
  init(_ places: ProductPlaces) throws(HostFailure) {
    self.places = places
    records = ProcessRecords(places)
    do throws(SystemError) {
      try DurableFile.createPrivateFolder(places.stateDirectory)
      try DurableFile.createPrivateFolder(places.logsDirectory)
      try DurableFile.createPrivateFolder(places.runtimeDirectory)
      try DurableFile.createPrivateFolder(places.hostDirectory)
    } catch {
      throw HostFailure(.cannotCreate, Self.advice(error, places))
    }
    lock = try Self.takeLock(of: places)
    try Self.claim(places)
  }

  private static func takeLock(of places: ProductPlaces) throws(HostFailure) -> RootLock {
    do throws(RootLock.Failure) {
      return try RootLock(path: places.lockFile)
    } catch {
      switch error {
      case .held(let pid):
        let who = pid.map { "pid \($0)" } ?? "its pid is not known"
        throw HostFailure(
          .alreadyRuns,
          "another host (\(who)) runs \(places.product) in \(places.stateDirectory); "
            + "`kith status` shows it, `kith down` ends it, --root DIR chooses another folder")
      case .system(let error): throw HostFailure(.cannotCreate, advice(error, places))
      }
    }
  }

  private static func claim(_ places: ProductPlaces) throws(HostFailure) {
    let owner: String?
    do throws(SystemError) {
      owner = try RootProduct.claim(places)
    } catch {
      throw HostFailure(.cannotCreate, advice(error, places))
    }
    guard let owner else { return }
    throw HostFailure(
      .badInput,
      "\(places.stateDirectory) holds the product \(owner), and not \(places.product); give \(places.product) "
        + "a folder of its own with --root DIR, or start \(owner)")
  }

  /// What an error means for whoever starts the host, and what to do about it.
  func advice(_ error: SystemError) -> String { Self.advice(error, places) }

  private static func advice(_ error: SystemError, _ places: ProductPlaces) -> String {
    let help =
      switch error.code {
      case _ where error.isLackOfRoom: "make room there, or choose"
      case EPERM: "make it yours alone (chmod 700), or choose"
      case EACCES: "give user \(geteuid()) the right to write there, or choose"
      default: "the host keeps its state in \(places.stateDirectory): choose"
      }
    return "\(error); \(help) another folder with --root DIR"
  }

  /// Looks whether the root is still this host's.
  mutating func check() -> RootLock.Standing {
    guard !isLost else { return .lost }
    let standing = lock.check()
    isLost = standing == .lost
    return standing
  }

  /// Records a process for the next host.
  func write(_ record: ProcessRecords.Record) throws(SystemError) {
    if !isLost { try records.write(record) }
  }

  /// Removes the record and the socket of a process that has ended.
  func remove(_ incarnation: Incarnation) {
    if !isLost { records.remove(incarnation) }
  }
}
