import Glibc
import HostileCalls

/// The kernel itself.
extension Probe {
  /// Calls by name, with arguments that do nothing should they be taken: what is there already, or
  /// nothing at all.
  private static func calls(
    _ name: String, _ tried: String,
    _ calls: @escaping @Sendable (Surroundings) -> [(String, Int32, [Int])]
  ) -> Probe {
    Probe(name, tried) { surroundings in
      calls(surroundings).map { name, number, arguments in (name, .call(number, arguments)) }
    }
  }

  static let kernel: [Probe] = [
    Probe("the clock", "set it to what it shows, and slew it by nothing") { _ in
      var now = timespec()
      clock_gettime(CLOCK_REALTIME, &now)
      var day = timeval(tv_sec: now.tv_sec, tv_usec: now.tv_nsec / 1000)
      let set = withUnsafePointer(to: &now) { pointer in
        Outcome.call(SYS_clock_settime, [Int(CLOCK_REALTIME), Int(bitPattern: pointer)])
      }
      let setDay = withUnsafePointer(to: &day) { pointer in
        Outcome.call(SYS_settimeofday, [Int(bitPattern: pointer)])
      }
      return [
        ("clock_settime", set), ("settimeofday", setDay), ("adjtimex", .call(SYS_adjtimex, [])),
        ("clock_adjtime", .call(SYS_clock_adjtime, [])),
      ]
    },
    Probe("the name of the machine", "set it to what it is") { _ in
      var name = [CChar](repeating: 0, count: 65)
      gethostname(&name, name.count)
      let length = strlen(name)
      return name.withUnsafeBufferPointer { buffer in
        [("sethostname", SYS_sethostname), ("setdomainname", SYS_setdomainname)].map {
          ($0, .call($1, [Int(bitPattern: buffer.baseAddress), length]))
        }
      }
    },
    calls("mounts", "mount, unmount and change the root, by the old calls and the new") { _ in
      [
        ("mount", SYS_mount, []), ("umount2", SYS_umount2, []), ("pivot_root", SYS_pivot_root, []),
        ("chroot", SYS_chroot, []), ("fsopen", SYS_fsopen, []), ("fsmount", SYS_fsmount, [-1]),
        ("fsconfig", SYS_fsconfig, [-1]), ("fspick", SYS_fspick, [-1]),
        ("move_mount", SYS_move_mount, [-1]), ("open_tree", SYS_open_tree, [-1]),
        ("mount_setattr", SYS_mount_setattr, [-1]), ("swapon", SYS_swapon, []),
        ("swapoff", SYS_swapoff, []), ("quotactl", SYS_quotactl, []),
        ("open_by_handle_at", SYS_open_by_handle_at, [-1]),
      ]
    },
    Probe("namespaces", "enter them and make them, alone and with a child") { _ in
      [
        ("cgroup", 0x0200_0000), ("ipc", 0x0800_0000), ("mount", 0x0002_0000), ("net", 0x4000_0000),
        ("pid", 0x2000_0000), ("user", 0x1000_0000), ("uts", 0x0400_0000),
      ].flatMap { name, flag -> [(String, Outcome)] in
        [
          ("unshare \(name)", .call(SYS_unshare, [flag])),
          ("clone \(name)", .call(Int(hostile_clone(UInt(flag))))),
        ]
      } + [("setns", .call(SYS_setns, [-1])), ("clone3", .call(SYS_clone3, []))]
    },
    calls("the running of the machine", "restart, kernels, modules, accounting, the kernel's log") {
      _ in
      [
        // Without its magic numbers.
        ("reboot", SYS_reboot, []), ("kexec_load", SYS_kexec_load, [0, 0, 0, -1]),
        ("kexec_file_load", SYS_kexec_file_load, [-1, -1, 0, 0, -1]),
        ("init_module", SYS_init_module, []), ("finit_module", SYS_finit_module, [-1]),
        ("delete_module", SYS_delete_module, []), ("acct", SYS_acct, [1]),
        ("syslog", SYS_syslog, [10]), ("vhangup", SYS_vhangup, []),
      ]
    },
    calls("kernel interfaces", "perf, bpf, io_uring, userfaultfd, fanotify, and calls yet unknown")
    { _ in
      [
        ("perf_event_open", SYS_perf_event_open, []), ("bpf", SYS_bpf, []),
        ("io_uring_setup", SYS_io_uring_setup, [1]), ("userfaultfd", SYS_userfaultfd, [1]),
        ("fanotify_init", SYS_fanotify_init, []), ("setxattrat", 463, []), ("beyond", 900, []),
      ]
    },
    Probe("numbers of other architectures", "a call by its number for 32 bits, and for x32") { _ in
      [
        ("32 bits", .call(hostile_foreign_call())), ("x32", .call(SYS_getpid | 0x4000_0000, [])),
      ]
    },
    calls("keys of the kernel", "keyctl, add_key, request_key") { _ in
      [
        ("keyctl", SYS_keyctl, [0, -3]), ("add_key", SYS_add_key, []),
        ("request_key", SYS_request_key, []),
      ]
    },
    calls("messages and memory of the machine", "System V and POSIX queues, semaphores, segments") {
      _ in
      [
        ("shmget", SYS_shmget, []), ("shmat", SYS_shmat, [-1]), ("shmctl", SYS_shmctl, [-1]),
        ("semget", SYS_semget, []), ("semctl", SYS_semctl, [-1]), ("msgget", SYS_msgget, []),
        ("msgctl", SYS_msgctl, [-1]), ("mq_open", SYS_mq_open, []),
      ]
    },
    Probe(
      "modes and owners", "of its own file: chmod, chown, attributes, a file that runs as its owner"
    ) {
      surroundings in
      let path = "\(surroundings.state)/mode"
      close(open(path, O_CREAT | O_WRONLY, 0o600))
      let file = open(path, O_WRONLY)
      defer { close(file) }
      let privileged = "\(surroundings.state)/privileged"
      return [
        ("chmod", .result(chmod(path, 0o600))), ("fchmod", .result(fchmod(file, 0o600))),
        ("fchmodat", .result(fchmodat(AT_FDCWD, path, 0o600, 0))),
        ("chown", .result(chown(path, getuid(), getgid()))),
        ("lchown", .result(lchown(path, getuid(), getgid()))),
        ("fchown", .result(fchown(file, getuid(), getgid()))),
        ("setxattr", .call(SYS_setxattr, [])),
        ("setuid file", .opening(open(privileged, O_CREAT | O_WRONLY, 0o4700))),
        ("setgid folder", .result(mkdir("\(surroundings.state)/group", 0o2700))),
      ]
    },
    Probe("other users", "become one, take capabilities, run programs that run as root") { _ in
      let status = text(of: "/proc/self/status") ?? ""
      let lines = status.split(separator: "\n")
      let capabilities = lines.filter { $0.hasPrefix("Cap") && !$0.hasSuffix("0000000000000000") }
      let gainsNothing = lines.contains("NoNewPrivs:\t1")
      return [
        ("setuid", .result(setuid(getuid()))), ("setgid", .result(setgid(getgid()))),
        ("setgroups", .call(SYS_setgroups, [])), ("setresuid", .call(SYS_setresuid, [-1, -1, -1])),
        ("capset", .call(SYS_capset, [])),
        ("capabilities", capabilities.isEmpty ? .nothing("none") : .gained("\(capabilities)")),
        ("setuid programs", gainsNothing ? .nothing("no new privileges") : .gained("privileges")),
      ]
    },
    Probe("sockets of the network", "the internet, raw packets, the kernel's own families") { _ in
      [
        ("tcp", AF_INET, 1), ("udp", AF_INET, 2), ("tcp 6", AF_INET6, 1), ("raw", AF_INET, 3),
        ("packet", AF_PACKET, 3), ("netlink", AF_NETLINK, 3), ("vsock", 40, 1), ("alg", 38, 5),
        ("bluetooth", 31, 3),
      ].map { name, family, kind in (name, .opening(socket(Int32(family), Int32(kind), 0))) }
    },
    calls("terminals", "type a character on the terminal of its streams") { _ in
      (0...2).map { ("TIOCSTI on \($0)", SYS_ioctl, [$0, 0x5412]) }
    },
  ]
}
