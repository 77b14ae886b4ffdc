import Glibc
import HostileCalls

/// Other processes.
extension Probe {
  static let processes: [Probe] = [
    Probe("signals", "to the host, other workers, a stranger, process 1") { surroundings in
      surroundings.others.flatMap { who, pid -> [(String, Outcome)] in
        // Signal 0 is checked as any other and does nothing.
        let pidfd = hostile_call(Int(SYS_pidfd_open), Int(pid), 0, 0, 0, 0, 0)
        let byPidfd =
          pidfd < 0
          ? pidfd : hostile_call(Int(SYS_pidfd_send_signal), pidfd, 0, 0, 0, 0, 0)
        if pidfd >= 0 { close(Int32(pidfd)) }
        return [
          ("kill \(who)", .result(kill(pid, 0))),
          ("tgkill \(who)", .call(hostile_call(Int(SYS_tgkill), Int(pid), Int(pid), 0, 0, 0, 0))),
          ("pidfd \(who)", .call(byPidfd)),
        ]
      }
    },
    Probe("/proc of others", "memory, environment, descriptors, root, folder and program of each") {
      surroundings in
      surroundings.others.flatMap { who, pid -> [(String, Outcome)] in
        let opened = ["mem", "environ", "maps", "auxv", "root/etc", "cwd/."].map {
          name in
          ("\(name) of \(who)", Outcome.opening(open("/proc/\(pid)/\(name)", O_RDONLY)))
        }
        let links = ["root", "cwd", "exe", "fd/0", "ns/mnt"].map { name in
          let target = link(at: "/proc/\(pid)/\(name)")
          return (
            "\(name) of \(who)",
            target.map { .gained($0) } ?? Outcome.nothing(String(cString: strerror(errno)))
          )
        }
        return opened + links + [("io of \(who)", .reading("/proc/\(pid)/io"))]
      }
    },
    Probe("grips on others", "trace them, read their memory, take their descriptors") {
      surroundings in
      surroundings.others.flatMap { who, pid -> [(String, Outcome)] in
        let seize = 0x4206
        return [
          ("ptrace", SYS_ptrace, [seize, Int(pid)]),
          ("process_vm_readv", SYS_process_vm_readv, [Int(pid)]),
          ("process_vm_writev", SYS_process_vm_writev, [Int(pid)]),
          ("kcmp", SYS_kcmp, [Int(pid), Int(getpid())]), ("move_pages", SYS_move_pages, [Int(pid)]),
          ("pidfd_getfd", SYS_pidfd_getfd, [-1]),
        ].map { name, number, arguments in ("\(name) \(who)", .call(number, arguments)) }
      }
    },
    Probe(
      "limits and turns of others", "their limits, processors, schedules and priorities as they are"
    ) {
      surroundings in
      surroundings.others.flatMap { who, pid -> [(String, Outcome)] in
        [
          // Without new limits: to read is to be let.
          ("prlimit64", SYS_prlimit64, [Int(pid), Int(RLIMIT_NOFILE.rawValue)]),
          ("setpriority", SYS_setpriority, [0, Int(pid), 0]),
          ("sched_setaffinity", SYS_sched_setaffinity, [Int(pid)]),
          ("sched_setscheduler", SYS_sched_setscheduler, [Int(pid)]),
          ("ioprio_set", SYS_ioprio_set, [1, Int(pid)]),
        ].map { name, number, arguments in ("\(name) \(who)", .call(number, arguments)) }
      }
    },
  ]
}

extension Probe.Outcome {
  /// A system call by its number; see `call`.
  static func call(_ number: Int32, _ arguments: [Int]) -> Self {
    let all = arguments + Array(repeating: 0, count: 6 - arguments.count)
    return .call(hostile_call(Int(number), all[0], all[1], all[2], all[3], all[4], all[5]))
  }
}
