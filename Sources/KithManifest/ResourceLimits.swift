/// What a worker's process, with all that it starts, may use at most.
///
/// ```yaml
/// limits: { memory: 256MiB, memory_high: 192MiB, open_files: 256, processes: 64, cpu: 0.5, cpu_weight: 50 }
/// ```
/// All but `open_files` and `processes` need control groups of version 2 that are the host's to
/// divide (under systemd: `Delegate=yes`). Without them `memory` bounds the data of each process by
/// itself, and the others do nothing; `kith status` says so. `processes` is kept without them too:
/// by the user namespace that each worker has for itself, or, for a host that is root, by a control
/// group of version 1.
public struct ResourceLimits: Sendable, Hashable {
  /// Memory in bytes; a worker that needs more ends, out of memory. No limit unless told; 16 MiB at
  /// least.
  public var memoryBytes: UInt64?
  /// Memory in bytes from which on the kernel slows the worker down and takes back what it can.
  /// None unless told; 16 MiB at least.
  public var memoryHighBytes: UInt64?
  /// Open files, sockets among them, of each process. Defaults to the host's own limit; 64 to
  /// 1048576.
  public var openFiles: Int?
  /// Processes and threads, all together. Defaults to `standardProcesses`; 8 to 1000000.
  public var processes: Int?
  /// How many processes and threads a worker may have that says nothing of them.
  public static let standardProcesses = 512
  /// How many processes and threads it may have.
  public var mostProcesses: Int { processes ?? Self.standardProcesses }
  /// Processor time, in processors: 0.5 is half of one. No limit unless told; 0.01 to 1024.
  public var processors: Double?
  /// Its share of the processors where there are not enough for all, beside the others' 100. 100
  /// unless told; 1 to 10000.
  public var processorWeight: Int?

  /// Limits with these values.
  public init(
    memoryBytes: UInt64? = nil, memoryHighBytes: UInt64? = nil, openFiles: Int? = nil,
    processes: Int? = nil, processors: Double? = nil, processorWeight: Int? = nil
  ) {
    self.memoryBytes = memoryBytes
    self.memoryHighBytes = memoryHighBytes
    self.openFiles = openFiles
    self.processes = processes
    self.processors = processors
    self.processorWeight = processorWeight
  }

  /// Amounts of memory as a manifest has them, in the largest unit that comes out whole: `256MiB`.
  package static func words(_ bytes: UInt64) -> String {
    for (unit, shift) in [("GiB", UInt64(30)), ("MiB", 20), ("KiB", 10)]
    where bytes > 0 && bytes & ((1 << shift) - 1) == 0 {
      return "\(bytes >> shift)\(unit)"
    }
    return "\(bytes)B"
  }
}
