import CLinux
import Glibc
import Testing

@testable import KithHost

/// The filter of system calls: the program that the kernel gets, run here as the kernel runs it,
/// for each call by its name.
@Suite struct SystemCallFilterTests {
  /// What the kernel is told to do with a call.
  private enum Answer: Equatable {
    case allow
    case refuse(Int32)
  }

  #if arch(x86_64)
    private static let architecture: UInt32 = 0xC000_003E
  #else
    private static let architecture: UInt32 = 0xC000_00B7
  #endif

  private static let onNetwork = SystemCallFilter(isOffTheNetwork: false)
  private static let offNetwork = SystemCallFilter(isOffTheNetwork: true)

  /// Runs a filter on a call; seccomp(2) has what the kernel looks at.
  private func answer(
    _ number: Int32, _ arguments: [UInt64] = [], by filter: SystemCallFilter = onNetwork,
    architecture: UInt32 = architecture
  ) throws -> Answer {
    var words = [UInt32(bitPattern: number), architecture, 0, 0]
    for argument in arguments + Array(repeating: 0, count: 6 - arguments.count) {
      words += [UInt32(truncatingIfNeeded: argument), UInt32(argument >> 32)]
    }
    var value: UInt32 = 0
    var next = 0
    while next < filter.instructions.count {
      let instruction = filter.instructions[next]
      let holds: Bool
      switch Int32(instruction.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        value = words[Int(instruction.k) / 4]
        next += 1
        continue
      case BPF_RET | BPF_K:
        if instruction.k == SECCOMP_RET_ALLOW { return .allow }
        try #require(instruction.k & 0xFFFF_0000 == SECCOMP_RET_ERRNO)
        return .refuse(Int32(instruction.k & 0xFFFF))
      case BPF_JMP | BPF_JEQ | BPF_K: holds = value == instruction.k
      case BPF_JMP | BPF_JGE | BPF_K: holds = value >= instruction.k
      case BPF_JMP | BPF_JSET | BPF_K: holds = value & instruction.k != 0
      default:
        Issue.record("an instruction that the filter does not use: \(instruction)")
        return .allow
      }
      next += 1 + Int(holds ? instruction.jt : instruction.jf)
    }
    Issue.record("the filter ends without an answer")
    return .allow
  }

  /// A call with its name.
  struct Call: Sendable, CustomTestStringConvertible {
    var name: String
    var number: Int32
    var testDescription: String { name }

    init(_ name: String, _ number: Int32) {
      (self.name, self.number) = (name, number)
    }
  }

  @Test(
    arguments: [
      Call("acct", SYS_acct), Call("add_key", SYS_add_key), Call("adjtimex", SYS_adjtimex),
      Call("bpf", SYS_bpf), Call("capset", SYS_capset), Call("chroot", SYS_chroot),
      Call("clock_adjtime", SYS_clock_adjtime), Call("clock_settime", SYS_clock_settime),
      Call("delete_module", SYS_delete_module), Call("fanotify_init", SYS_fanotify_init),
      Call("fchmod", SYS_fchmod), Call("fchmodat", SYS_fchmodat), Call("fchown", SYS_fchown),
      Call("fchownat", SYS_fchownat), Call("finit_module", SYS_finit_module),
      Call("fremovexattr", SYS_fremovexattr), Call("fsconfig", SYS_fsconfig),
      Call("fsetxattr", SYS_fsetxattr), Call("fsmount", SYS_fsmount), Call("fsopen", SYS_fsopen),
      Call("fspick", SYS_fspick), Call("init_module", SYS_init_module),
      Call("io_uring_enter", SYS_io_uring_enter),
      Call("io_uring_register", SYS_io_uring_register),
      Call("io_uring_setup", SYS_io_uring_setup), Call("kcmp", SYS_kcmp),
      Call("kexec_file_load", SYS_kexec_file_load), Call("kexec_load", SYS_kexec_load),
      Call("keyctl", SYS_keyctl), Call("lookup_dcookie", SYS_lookup_dcookie),
      Call("lremovexattr", SYS_lremovexattr), Call("lsetxattr", SYS_lsetxattr),
      Call("migrate_pages", SYS_migrate_pages), Call("mount", SYS_mount),
      Call("mount_setattr", SYS_mount_setattr), Call("move_mount", SYS_move_mount),
      Call("move_pages", SYS_move_pages), Call("mq_open", SYS_mq_open),
      Call("mq_unlink", SYS_mq_unlink), Call("msgctl", SYS_msgctl), Call("msgget", SYS_msgget),
      Call("msgrcv", SYS_msgrcv), Call("msgsnd", SYS_msgsnd), Call("nfsservctl", SYS_nfsservctl),
      Call("open_by_handle_at", SYS_open_by_handle_at), Call("open_tree", SYS_open_tree),
      Call("perf_event_open", SYS_perf_event_open), Call("pidfd_getfd", SYS_pidfd_getfd),
      Call("pivot_root", SYS_pivot_root), Call("process_madvise", SYS_process_madvise),
      Call("process_mrelease", SYS_process_mrelease),
      Call("process_vm_readv", SYS_process_vm_readv),
      Call("process_vm_writev", SYS_process_vm_writev), Call("ptrace", SYS_ptrace),
      Call("quotactl", SYS_quotactl), Call("quotactl_fd", SYS_quotactl_fd),
      Call("reboot", SYS_reboot), Call("removexattr", SYS_removexattr),
      Call("request_key", SYS_request_key), Call("semctl", SYS_semctl),
      Call("semget", SYS_semget), Call("semop", SYS_semop), Call("semtimedop", SYS_semtimedop),
      Call("setdomainname", SYS_setdomainname), Call("setfsgid", SYS_setfsgid),
      Call("setfsuid", SYS_setfsuid), Call("setgid", SYS_setgid),
      Call("setgroups", SYS_setgroups), Call("sethostname", SYS_sethostname),
      Call("setns", SYS_setns), Call("setregid", SYS_setregid), Call("setresgid", SYS_setresgid),
      Call("setresuid", SYS_setresuid), Call("setreuid", SYS_setreuid),
      Call("settimeofday", SYS_settimeofday), Call("setuid", SYS_setuid),
      Call("setxattr", SYS_setxattr), Call("shmat", SYS_shmat), Call("shmctl", SYS_shmctl),
      Call("shmget", SYS_shmget), Call("swapoff", SYS_swapoff), Call("swapon", SYS_swapon),
      Call("syslog", SYS_syslog), Call("umount2", SYS_umount2), Call("unshare", SYS_unshare),
      Call("userfaultfd", SYS_userfaultfd), Call("vhangup", SYS_vhangup),
    ])
  func refuses(_ call: Call) throws {
    #expect(try answer(call.number) == .refuse(EPERM))
    #expect(try answer(call.number, by: Self.offNetwork) == .refuse(EPERM))
  }

  #if arch(x86_64)
    @Test(
      arguments: [
        Call("chmod", SYS_chmod), Call("chown", SYS_chown), Call("ioperm", SYS_ioperm),
        Call("iopl", SYS_iopl), Call("lchown", SYS_lchown), Call("modify_ldt", SYS_modify_ldt),
      ])
    func refusesOfThisArchitecture(_ call: Call) throws {
      #expect(try answer(call.number) == .refuse(EPERM))
    }

    @Test(arguments: [("creat", SYS_creat), ("mkdir", SYS_mkdir), ("mknod", SYS_mknod)])
    func refusesToMakeWhatRunsAsItsOwner(name: String, number: Int32) throws {
      #expect(try answer(number, [0, 0o4755]) == .refuse(EPERM))
      #expect(try answer(number, [0, 0o2755]) == .refuse(EPERM))
      #expect(try answer(number, [0, 0o1777]) == .allow)
    }

    @Test func refusesToOpenANewFileThatRunsAsItsOwner() throws {
      #expect(try answer(SYS_open, [0, UInt64(O_CREAT), 0o4700]) == .refuse(EPERM))
      #expect(try answer(SYS_open, [0, UInt64(O_CREAT), 0o2700]) == .refuse(EPERM))
      #expect(try answer(SYS_open, [0, UInt64(O_CREAT), 0o600]) == .allow)
      // Without the flag there is no third argument, and anything may be in its place.
      #expect(try answer(SYS_open, [0, UInt64(O_RDWR), 0o4700]) == .allow)
    }
  #endif

  @Test func refusesToOpenANewFileAtAPlaceThatRunsAsItsOwner() throws {
    let temporary: UInt64 = 0o20200000
    #expect(try answer(SYS_openat, [0, 0, UInt64(O_CREAT), 0o4700]) == .refuse(EPERM))
    #expect(try answer(SYS_openat, [0, 0, UInt64(O_CREAT), 0o2700]) == .refuse(EPERM))
    #expect(try answer(SYS_openat, [0, 0, temporary, 0o4700]) == .refuse(EPERM))
    #expect(try answer(SYS_openat, [0, 0, UInt64(O_CREAT), 0o1600]) == .allow)
    #expect(try answer(SYS_openat, [0, 0, UInt64(O_DIRECTORY), 0o4700]) == .allow)
  }

  @Test(arguments: [("mkdirat", SYS_mkdirat), ("mknodat", SYS_mknodat)])
  func refusesToMakeAtAPlaceWhatRunsAsItsOwner(name: String, number: Int32) throws {
    #expect(try answer(number, [0, 0, 0o4755]) == .refuse(EPERM))
    #expect(try answer(number, [0, 0, 0o2755]) == .refuse(EPERM))
    #expect(try answer(number, [0, 0, 0o755]) == .allow)
  }

  @Test(
    arguments: [
      ("cgroup", 0x0200_0000), ("ipc", 0x0800_0000), ("mount", 0x0002_0000),
      ("net", 0x4000_0000), ("pid", 0x2000_0000), ("user", 0x1000_0000),
      ("uts", 0x0400_0000),
    ])
  func refusesAChildInANamespace(name: String, flag: UInt64) throws {
    #expect(try answer(SYS_clone, [flag | UInt64(SIGCHLD)]) == .refuse(EPERM))
  }

  @Test func aChildAndAThreadMayBeMade() throws {
    #expect(try answer(SYS_clone, [UInt64(SIGCHLD)]) == .allow)
    // What pthread_create asks for.
    #expect(try answer(SYS_clone, [0x3D0F00]) == .allow)
  }

  /// A C library then does what it did before there were these.
  @Test(arguments: [("clone3", SYS_clone3), ("openat2", SYS_openat2)])
  func whatNoFilterCanLookIntoIsUnknown(name: String, number: Int32) throws {
    #expect(try answer(number) == .refuse(ENOSYS))
  }

  @Test func whatIsNewerThanTheListIsUnknown() throws {
    #expect(try answer(450) == .allow)
    for number in [451, 452, 463, 468, 511, 0x3FFF_FFFF] as [Int32] {
      #expect(try answer(number) == .refuse(ENOSYS), "\(number)")
    }
  }

  @Test func numbersOfOtherArchitecturesAreRefused() throws {
    #expect(try answer(SYS_getpid) == .allow)
    // i386 and 32-bit ARM; x32, whose numbers carry a bit; and none at all.
    for other in [0x4000_0003, 0x4000_0028] as [UInt32] {
      #expect(try answer(SYS_getpid, architecture: other) == .refuse(EPERM))
    }
    #expect(try answer(SYS_getpid | 0x4000_0000) == .refuse(EPERM))
    #expect(try answer(-1) == .refuse(EPERM))
  }

  @Test(arguments: [("socket", SYS_socket), ("socketpair", SYS_socketpair)])
  func socketsOffTheNetworkAreThoseOfThisMachine(name: String, number: Int32) throws {
    for family in UInt64(0)..<64 {
      let isUnix = family == UInt64(AF_UNIX)
      #expect(
        try answer(number, [family], by: Self.offNetwork) == (isUnix ? .allow : .refuse(EACCES)))
    }
  }

  @Test func socketsOnTheNetworkAreThoseOfTheInternetToo() throws {
    let allowed = [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK].map(UInt64.init)
    for family in UInt64(0)..<64 {
      #expect(
        try answer(SYS_socket, [family])
          == (allowed.contains(family) ? .allow : .refuse(EACCES)), "family \(family)")
    }
  }

  @Test func nothingIsTypedOnATerminal() throws {
    #expect(try answer(SYS_ioctl, [0, UInt64(TIOCSTI)]) == .refuse(EPERM))
    #expect(try answer(SYS_ioctl, [0, 0x541C]) == .refuse(EPERM))
    #expect(try answer(SYS_ioctl, [0, 1 << 32 | UInt64(TIOCSTI)]) == .refuse(EPERM))
    #expect(try answer(SYS_ioctl, [0, UInt64(FIONREAD)]) == .allow)
  }

  @Test(
    arguments: [
      ("prlimit64", SYS_prlimit64), ("sched_setaffinity", SYS_sched_setaffinity),
      ("sched_setattr", SYS_sched_setattr), ("sched_setparam", SYS_sched_setparam),
      ("sched_setscheduler", SYS_sched_setscheduler),
    ])
  func limitsAndSchedulesNothingButItself(name: String, number: Int32) throws {
    #expect(try answer(number, [0]) == .allow)
    #expect(try answer(number, [1]) == .refuse(EPERM))
    #expect(try answer(number, [12345]) == .refuse(EPERM))
  }

  @Test(arguments: [("setpriority", SYS_setpriority, 0), ("ioprio_set", SYS_ioprio_set, 1)])
  func givesNothingButItselfAPriority(name: String, number: Int32, process: UInt64) throws {
    #expect(try answer(number, [process, 0]) == .allow)
    #expect(try answer(number, [process, 1]) == .refuse(EPERM))
    #expect(try answer(number, [2, 0]) == .refuse(EPERM))
    #expect(try answer(number, [3, 0]) == .refuse(EPERM))
  }

  @Test func aPersonalityIsAskedForAndNotTaken() throws {
    #expect(try answer(SYS_personality, [0xFFFF_FFFF]) == .allow)
    #expect(try answer(SYS_personality, [0x0040000]) == .refuse(EPERM))
  }

  @Test(
    arguments: [
      Call("read", SYS_read), Call("write", SYS_write), Call("execve", SYS_execve),
      Call("exit_group", SYS_exit_group), Call("futex", SYS_futex), Call("kill", SYS_kill),
      Call("fsync", SYS_fsync), Call("ftruncate", SYS_ftruncate), Call("bind", SYS_bind),
      Call("renameat2", SYS_renameat2), Call("rseq", SYS_rseq), Call("statx", SYS_statx),
      Call("pidfd_open", SYS_pidfd_open), Call("close_range", SYS_close_range),
      Call("faccessat2", SYS_faccessat2), Call("landlock_restrict_self", 446),
      Call("prctl", SYS_prctl), Call("seccomp", SYS_seccomp), Call("wait4", SYS_wait4),
    ])
  func allowsWhatProgramsNeed(_ call: Call) throws {
    #expect(try answer(call.number, by: Self.offNetwork) == .allow)
  }
}
