import Glibc
import HostileCalls

/// More than its share: each is bounded here too, should nothing else bound it.
extension Probe {
  static let resources: [Probe] = [
    Probe("descriptors", "open files without end") { surroundings in
      var opened: [Int32] = []
      while opened.count < 4 * surroundings.openFiles {
        let next = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard next >= 0 else { break }
        opened.append(next)
      }
      opened.forEach { close($0) }
      return bounded(opened.count, by: surroundings.openFiles)
    },
    Probe("room outside its state", "files in the machine's memory and on its disks, a byte each") {
      surroundings in
      let socket = "\(surroundings.root)/run/hostile.1"
      return ["/tmp", "/var/tmp", "/dev/shm", "/run", "/", "/dev", "/proc", socket, "\(socket)/.."]
        .map { folder in
          let path = "\(folder)/kith-\(getpid())"
          let file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
          guard file >= 0 else { return (folder, .nothing(String(cString: strerror(errno)))) }
          defer {
            close(file)
            unlink(path)
          }
          return (folder, write(file, "x", 1) == 1 ? .gained("written") : .gained("made"))
        }
    },
    Probe("processes", "start them without end") { surroundings in
      var killed: Int32 = 0
      let count = hostile_processes(Int32(4 * surroundings.processes), &killed)
      // One of them at least, or nothing was tried; and what is its own may be signalled.
      guard count > 0, killed != 0 else { return .gained("not tried: \(count) started, \(killed)") }
      return bounded(Int(count), by: surroundings.processes)
    },
    Probe("threads", "start them without end") { surroundings in
      let count = hostile_threads(Int32(4 * surroundings.processes))
      guard count > 0 else { return .gained("not tried: none started") }
      return bounded(Int(count), by: surroundings.processes)
    },
    Probe("core files", "the largest that it may leave") { _ in
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
      return limit.rlim_max == 0 ? .nothing("0 bytes") : .gained("\(limit.rlim_max) bytes")
    },
  ]

  private static func bounded(_ count: Int, by limit: Int) -> Outcome {
    count <= limit ? .nothing("ended at \(count) of \(limit)") : .gained("\(count) of \(limit)")
  }
}
