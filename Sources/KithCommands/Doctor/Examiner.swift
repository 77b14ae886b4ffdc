import CLinux
import Glibc
import HostContract
import KithManifest
import KithStore

/// Looks at the machine and at the files of a product. Changes nothing.
struct Examiner {
  /// Where the product's files are; nil when it is not known which product is meant.
  let places: ProductPlaces?

  /// Everything that is looked at.
  func examine(_ host: Examination.Host) -> Examination {
    var examination = Examination(
      host: host, user: geteuid(), landlock: max(0, Int(kith_linux_landlock_version())),
      hasSeccomp: access("/proc/sys/kernel/seccomp/actions_avail", F_OK) == 0,
      controllers: Self.controllers(), now: Surroundings.now)
    let kept = kith_linux_clock_is_kept()
    examination.isClockKept = kept < 0 ? nil : kept > 0
    guard let places else { return examination }
    examination.places = [
      ("state", places.stateDirectory), ("sockets", places.runtimeDirectory),
      ("logs", places.logsDirectory), ("keys", places.keysDirectory),
      ("sealing key", places.sealingKeyFile),
    ].compactMap(Self.place)
    examination.disks = [("state", places.stateDirectory), ("sockets", places.runtimeDirectory)]
      .compactMap(Self.disk)
    let stores = ProductStores(stateDirectory: places.stateDirectory)
    if !stores.workers.isEmpty, access(places.sealingKeyFile, F_OK) != 0, errno == ENOENT {
      examination.missingKey = places.sealingKeyFile
    }
    for worker in stores.workers {
      let folder = places.stateDirectory(worker: worker)
      examination.damagedFiles += Folder.names(in: folder)
        .filter { $0.contains(".damaged-") && !$0.hasSuffix("-wal") }.map { "\(folder)/\($0)" }
    }
    return examination
  }

  private static func place(_ role: String, _ path: String) -> Examination.Place? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    return Examination.Place(
      role: role, path: path, owner: status.st_uid, mode: status.st_mode & 0o7777,
      isFolder: status.st_mode & S_IFMT == S_IFDIR)
  }

  private static func disk(_ role: String, _ path: String) -> Examination.Disk? {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    return Examination.Disk(
      role: role, path: path, freeBytes: UInt64(status.f_bavail) * UInt64(status.f_frsize),
      freeFiles: status.f_files == 0 ? nil : UInt64(status.f_favail),
      isReadOnly: status.f_flag & UInt(ST_RDONLY) != 0)
  }

  /// What the file of version 2 at the root of the control groups names.
  private static func controllers() -> [String]? {
    guard let file = fopen("/sys/fs/cgroup/cgroup.controllers", "re") else { return nil }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 1024)
    guard fgets(&buffer, Int32(buffer.count), file) != nil else { return nil }
    let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let names = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      .map(String.init)
    return names.isEmpty ? nil : names
  }
}
