import CLinux
import Glibc

/// The system calls that a worker's process, and all that it starts, is refused: a program for the
/// kernel (seccomp(2)).
///
/// A list of what is refused, and not of what is allowed: workers are any program, shells and
/// interpreters among them. What the list does not know is refused too: calls that Linux has got
/// since the list was made do not exist for a worker.
struct SystemCallFilter: Sendable {
  /// The program, in the order in which the kernel runs it.
  let instructions: [sock_filter]

  /// The last call that the list below was made with: `set_mempolicy_home_node`, Linux 5.17. The
  /// numbers above 423 are the same on all architectures.
  private static let lastReviewed: UInt32 = 450

  /// The filter of a worker.
  /// - Parameter isOffTheNetwork: whether it may have no sockets but those of this machine.
  init(isOffTheNetwork: Bool) {
    var program = [
      Self.load(architectureOffset),
      Self.jump(Self.equal, Self.architecture, then: 1, else: 0),
      Self.refuse(EPERM),
      Self.load(numberOffset),
      // The bit of x32's numbers; no call of aarch64 has it.
      Self.jump(Self.anyBit, 0x4000_0000, then: 0, else: 1),
      Self.refuse(EPERM),
      Self.jump(Self.atLeast, Self.lastReviewed + 1, then: 0, else: 1),
      Self.refuse(ENOSYS),
    ]
    func examine(_ numbers: [Int32], _ rule: [sock_filter]) {
      for number in numbers {
        program.append(
          Self.jump(Self.equal, UInt32(number), then: 0, else: UInt8(rule.count)))
        program += rule
      }
    }
    // What is called most comes first: the kernel goes through the program for each call whose
    // arguments matter.
    examine(Self.opening, Self.noPrivilegedMode(flags: 1, mode: 2))
    examine([SYS_openat], Self.noPrivilegedMode(flags: 2, mode: 3))
    examine([SYS_socket, SYS_socketpair], Self.families(isOffTheNetwork: isOffTheNetwork))
    examine([SYS_ioctl], Self.noTerminalInput)
    examine([SYS_clone], Self.refuseBits(0x7E02_0000, of: 0))
    examine(Self.making1, Self.refuseBits(0o6000, of: 1))
    examine([SYS_mkdirat, SYS_mknodat], Self.refuseBits(0o6000, of: 2))
    examine(
      [SYS_prlimit64, SYS_sched_setaffinity, SYS_sched_setattr, SYS_sched_setparam]
        + [SYS_sched_setscheduler], Self.only(0, of: 0))
    // PRIO_PROCESS and IOPRIO_WHO_PROCESS, of itself.
    examine([SYS_setpriority], Self.only(0, andZeroOf: 1))
    examine([SYS_ioprio_set], Self.only(1, andZeroOf: 1))
    // What only asks.
    examine([SYS_personality], Self.only(UInt32.max, of: 0))
    examine(Self.unknown, [Self.refuse(ENOSYS)])
    examine(Self.refused, [Self.refuse(EPERM)])
    instructions = program + [Self.allow]
  }

  // MARK: The lists

  /// Calls whose arguments lie in memory, where no filter can look: refused as an older kernel
  /// does, so that C libraries use what came before them, `clone` and `openat`.
  private static let unknown = [SYS_clone3, SYS_openat2]

  private static let refused: [Int32] =
    mounts + namespaces + machine + otherProcesses + identities + modes + keysAndMessages
    + ofArchitecture

  private static let mounts = [
    SYS_chroot, SYS_fsconfig, SYS_fsmount, SYS_fsopen, SYS_fspick, SYS_mount, SYS_mount_setattr,
    SYS_move_mount, SYS_open_by_handle_at, SYS_open_tree, SYS_pivot_root, SYS_quotactl,
    SYS_quotactl_fd, SYS_swapoff, SYS_swapon, SYS_umount2,
  ]

  private static let namespaces = [SYS_setns, SYS_unshare]

  /// The clock, the name, the kernel itself.
  private static let machine = [
    SYS_acct, SYS_adjtimex, SYS_bpf, SYS_clock_adjtime, SYS_clock_settime, SYS_delete_module,
    SYS_fanotify_init, SYS_finit_module, SYS_init_module, SYS_io_uring_enter,
    SYS_io_uring_register, SYS_io_uring_setup, SYS_kexec_file_load, SYS_kexec_load,
    SYS_lookup_dcookie, SYS_nfsservctl, SYS_perf_event_open, SYS_reboot, SYS_setdomainname,
    SYS_sethostname, SYS_settimeofday, SYS_syslog, SYS_userfaultfd, SYS_vhangup,
  ]

  private static let otherProcesses = [
    SYS_kcmp, SYS_migrate_pages, SYS_move_pages, SYS_pidfd_getfd, SYS_process_madvise,
    SYS_process_mrelease, SYS_process_vm_readv, SYS_process_vm_writev, SYS_ptrace,
  ]

  private static let identities = [
    SYS_capset, SYS_setfsgid, SYS_setfsuid, SYS_setgid, SYS_setgroups, SYS_setregid,
    SYS_setresgid, SYS_setresuid, SYS_setreuid, SYS_setuid,
  ]

  /// Who may do what with a file: Landlock does not keep it, and a worker's files have their modes
  /// from the call that makes them. An access control list is an attribute.
  private static let modes = [
    SYS_fchmod, SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_fremovexattr, SYS_fsetxattr,
    SYS_lremovexattr, SYS_lsetxattr, SYS_removexattr, SYS_setxattr,
  ]

  /// What the kernel keeps for a user and not for a process.
  private static let keysAndMessages = [
    SYS_add_key, SYS_keyctl, SYS_mq_open, SYS_mq_unlink, SYS_msgctl, SYS_msgget, SYS_msgrcv,
    SYS_msgsnd, SYS_request_key, SYS_semctl, SYS_semget, SYS_semop, SYS_semtimedop, SYS_shmat,
    SYS_shmctl, SYS_shmget,
  ]

  #if arch(x86_64)
    private static let architecture: UInt32 = 0xC000_003E
    private static let opening = [SYS_open]
    /// Calls that make something with the mode of their second argument.
    private static let making1 = [SYS_creat, SYS_mkdir, SYS_mknod]
    private static let ofArchitecture = [
      SYS_chmod, SYS_chown, SYS_ioperm, SYS_iopl, SYS_lchown, SYS_modify_ldt,
    ]
  #elseif arch(arm64)
    private static let architecture: UInt32 = 0xC000_00B7
    private static let opening: [Int32] = []
    private static let making1: [Int32] = []
    private static let ofArchitecture: [Int32] = []
  #else
    #error("which numbers system calls have here must be looked up")
  #endif

  // MARK: Rules

  /// No files that run as their owner or group: O_CREAT or O_TMPFILE, and S_ISUID or S_ISGID.
  private static func noPrivilegedMode(flags: UInt32, mode: UInt32) -> [sock_filter] {
    [
      load(argument: flags), jump(anyBit, 0o20000100, then: 0, else: 3),
      load(argument: mode), jump(anyBit, 0o6000, then: 0, else: 1),
      refuse(EPERM), allow,
    ]
  }

  /// Beside this machine's own those of the internet, and that in which the C library asks for
  /// addresses.
  private static func families(isOffTheNetwork: Bool) -> [sock_filter] {
    let families = isOffTheNetwork ? [AF_UNIX] : [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK]
    let jumps = families.enumerated().map { index, family in
      jump(equal, UInt32(family), then: UInt8(families.count - index), else: 0)
    }
    return [load(argument: 0)] + jumps + [refuse(EACCES), allow]
  }

  /// TIOCSTI and TIOCLINUX type on a terminal.
  private static let noTerminalInput = [
    load(argument: 1), jump(equal, 0x5412, then: 1, else: 0),
    jump(equal, 0x541C, then: 0, else: 1), refuse(EPERM), allow,
  ]

  private static func refuseBits(_ bits: UInt32, of argument: UInt32) -> [sock_filter] {
    [load(argument: argument), jump(anyBit, bits, then: 0, else: 1), refuse(EPERM), allow]
  }

  private static func only(_ value: UInt32, of argument: UInt32) -> [sock_filter] {
    [load(argument: argument), jump(equal, value, then: 1, else: 0), refuse(EPERM), allow]
  }

  private static func only(_ first: UInt32, andZeroOf second: UInt32) -> [sock_filter] {
    [
      load(argument: 0), jump(equal, first, then: 0, else: 2),
      load(argument: second), jump(equal, 0, then: 1, else: 0), refuse(EPERM), allow,
    ]
  }

  // MARK: Instructions

  private static let equal = UInt16(BPF_JMP | BPF_JEQ | BPF_K)
  private static let atLeast = UInt16(BPF_JMP | BPF_JGE | BPF_K)
  private static let anyBit = UInt16(BPF_JMP | BPF_JSET | BPF_K)

  private static func load(_ offset: UInt32) -> sock_filter {
    sock_filter(code: UInt16(BPF_LD | BPF_W | BPF_ABS), jt: 0, jf: 0, k: offset)
  }

  /// The lower half of an argument, on machines that store it first: all that are known here do.
  private static func load(argument: UInt32) -> sock_filter {
    load(argumentsOffset + 8 * argument)
  }

  /// Goes on so many instructions further.
  private static func jump(
    _ test: UInt16, _ value: UInt32, then: UInt8, else: UInt8
  ) -> sock_filter {
    sock_filter(code: test, jt: then, jf: `else`, k: value)
  }

  private static func refuse(_ error: Int32) -> sock_filter {
    sock_filter(
      code: UInt16(BPF_RET | BPF_K), jt: 0, jf: 0, k: SECCOMP_RET_ERRNO | UInt32(error))
  }

  private static let allow = sock_filter(
    code: UInt16(BPF_RET | BPF_K), jt: 0, jf: 0, k: SECCOMP_RET_ALLOW)
}

/// Where `struct seccomp_data` has what.
private let numberOffset: UInt32 = 0
private let architectureOffset: UInt32 = 4
private let argumentsOffset: UInt32 = 16
