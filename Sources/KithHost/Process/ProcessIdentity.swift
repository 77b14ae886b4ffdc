import Glibc

/// What makes a process this one and no other. A pid alone is reused; with the time of its start it
/// is not, and the boot id keeps records from before a reboot apart.
struct ProcessIdentity: Hashable, Sendable {
  var pid: Int32
  /// When the kernel started it, in clock ticks since boot.
  var startTicks: UInt64
  /// The kernel's boot id.
  var bootID: String

  /// The kernel's boot id; empty where the kernel does not tell.
  static let currentBootID: String =
    (ProcessFile.text("/proc/sys/kernel/random/boot_id") ?? "").trimmingNewline

  /// The identity of the process that has this pid now; nil when there is none. A zombie still has
  /// one.
  static func current(ofPid pid: Int32) -> ProcessIdentity? {
    status(ofPid: pid)?.identity
  }

  /// How the process ended, as wait(2) has it, when it has and nobody has waited for it; nil else.
  var waitStatusOfZombie: Int32? {
    guard let status = Self.status(ofPid: pid), status.identity == self, status.state == "Z" else {
      return nil
    }
    return status.waitStatus
  }

  /// Whether no process of that pid runs: there is none, or one that only waits for its parent.
  static func hasEnded(pid: Int32) -> Bool {
    status(ofPid: pid).map { ["Z", "X"].contains($0.state) } ?? true
  }

  /// The process that has this pid now, and its state as proc(5) has it; nil when there is none.
  static func state(ofPid pid: Int32) -> (identity: ProcessIdentity, state: Substring)? {
    status(ofPid: pid).map { ($0.identity, $0.state) }
  }

  private static func status(
    ofPid pid: Int32
  ) -> (identity: ProcessIdentity, state: Substring, waitStatus: Int32?)? {
    guard let stat = ProcessFile.text("/proc/\(pid)/stat") else { return nil }
    // The second field is the program's name in parentheses and may hold both blanks and
    // parentheses.
    guard let close = stat.lastIndex(of: ")") else { return nil }
    let fields = stat[stat.index(after: close)...].split { $0 == " " || $0 == "\n" }
    // Fields 3, 22 and 52 of proc(5); the first after the name is field 3.
    guard fields.count > 19, let ticks = UInt64(fields[19]) else { return nil }
    return (
      ProcessIdentity(pid: pid, startTicks: ticks, bootID: currentBootID), fields[0],
      fields.count > 49 ? Int32(fields[49]) : nil
    )
  }

  /// The resident memory of a process in bytes; 0 when it is not known.
  static func residentBytes(ofPid pid: Int32) -> UInt64 {
    guard let statm = ProcessFile.text("/proc/\(pid)/statm") else { return 0 }
    let fields = statm.split(separator: " ")
    guard fields.count > 1, let pages = UInt64(fields[1]) else { return 0 }
    return pages * UInt64(sysconf(Int32(_SC_PAGESIZE)))
  }
}

/// Small files of /proc.
enum ProcessFile {
  /// The text of a small file; nil when it cannot be read.
  static func text(_ path: String) -> String? {
    guard let descriptor = try? Descriptor.open(path, O_RDONLY),
      case .bytes(let bytes) = try? descriptor.read(atMost: 4096)
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension String {
  fileprivate var trimmingNewline: String {
    hasSuffix("\n") ? String(dropLast()) : self
  }
}
