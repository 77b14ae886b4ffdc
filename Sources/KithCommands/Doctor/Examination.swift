import HostContract

/// What `kith doctor` looked at, as it was found.
struct Examination {
  /// The host of the product that is meant.
  enum Host {
    /// It answers.
    case answers(GetStatusResponse)
    /// It does not, or there is none: why, and what the command line says to do.
    case missing(String)
  }

  /// A folder or a file of the product.
  struct Place: Equatable {
    /// What it is for: `state`, `sockets`.
    var role: String
    var path: String
    var owner: UInt32
    /// The bits of `chmod`.
    var mode: UInt32
    var isFolder: Bool
  }

  /// The file system that a folder is on.
  struct Disk: Equatable {
    /// What it is for: `state`, `sockets`.
    var role: String
    var path: String
    var freeBytes: UInt64
    /// How many files can still be made; nil where the file system does not count them.
    var freeFiles: UInt64?
    var isReadOnly = false
  }

  var host: Host
  /// Those that are there.
  var places: [Place] = []
  var disks: [Disk] = []
  /// The path of the product's sealing key when there are stores and no key; nil when all is well.
  var missingKey: String?
  /// Files that were found damaged and kept beside.
  var damagedFiles: [String] = []
  /// The user that this command runs as.
  var user: UInt32
  /// The version of Landlock that the kernel has; 0 without it.
  var landlock: Int
  /// Whether the kernel filters system calls.
  var hasSeccomp: Bool
  /// The controllers of control groups, version 2; nil without those.
  var controllers: [String]?
  /// Now, in milliseconds since 1970-01-01T00:00:00Z.
  var now: Int64
  /// Whether the machine's clock is kept by another; nil when the kernel does not tell.
  var isClockKept: Bool?
}
