extension ResourceLimits {
  /// What one manifest states of limits. A product's is laid over its base's, and that over the
  /// plugin's.
  package struct Overrides: Sendable, Equatable {
    var memory: Stated<UInt64>?
    var memoryHigh: Stated<UInt64>?
    var openFiles: Stated<Int>?
    var processes: Stated<Int>?
    var processors: Stated<Double>?
    var processorWeight: Stated<Int>?

    /// These over others: what they do not state is as there.
    package func over(_ base: Self) -> Self {
      Self(
        memory: memory ?? base.memory, memoryHigh: memoryHigh ?? base.memoryHigh,
        openFiles: openFiles ?? base.openFiles, processes: processes ?? base.processes,
        processors: processors ?? base.processors,
        processorWeight: processorWeight ?? base.processorWeight)
    }
  }

  fileprivate enum Keys {
    static let memory = memory(
      "memory", "Above it the worker is killed (out of memory).")
    static let memoryHigh = memory(
      "memory_high", "Above it the kernel slows the worker down and reclaims memory.")
    static let openFiles = Key.integer(
      "open_files", 64...1_048_576, shown: "the host's limit",
      doc: "Open files and sockets of each process.")
    static let processes = Key.integer(
      "processes", 8...1_000_000, shown: "\(ResourceLimits.standardProcesses)",
      doc: "Processes and threads together.")
    static let processors = Key<Double>(
      "cpu", type: "number", range: "0.01 to 1024", shown: "no limit",
      doc: "Processors: 0.5 is half of one."
    ) { scalars, value in
      guard let number = scalars.double(value) else { return nil }
      return (0.01...1024).contains(number) ? number : scalars.outOfRange(value, "0.01..1024")
    }
    static let processorWeight = Key.integer(
      "cpu_weight", 1...10_000, shown: "100",
      doc: "The share of the processors under contention.")

    private static func memory(_ name: String, _ doc: String) -> Key<UInt64> {
      Key(name, type: "bytes", range: "16MiB at least", shown: "no limit", doc: doc) {
        scalars, value in
        guard let bytes = scalars.bytes(value) else { return nil }
        guard bytes >= 16 << 20 else { return scalars.outOfRange(value, "16MiB at least") }
        return UInt64(bytes)
      }
    }
  }

  static let section = ManifestSection(
    "limits", "What a worker's process may use, with all that it starts.",
    form: "a mapping: { memory: 256MiB, open_files: 256 }",
    keys: [
      Keys.memory.manifest, Keys.memoryHigh.manifest, Keys.openFiles.manifest,
      Keys.processes.manifest, Keys.processors.manifest, Keys.processorWeight.manifest,
    ])

  static let key = Key.nested(
    "limits", shown: "see limits", section: "limits", doc: "What its process may use.")

  /// The limits that the layers come to together.
  /// - Parameter plugin: the file of the plugin, for the place of an error.
  package init(_ stated: Overrides, plugin: String, findings: Findings) {
    self.init(
      memoryBytes: stated.memory?.value, memoryHighBytes: stated.memoryHigh?.value,
      openFiles: stated.openFiles?.value, processes: stated.processes?.value,
      processors: stated.processors?.value, processorWeight: stated.processorWeight?.value)
    guard let memory = stated.memory, let high = stated.memoryHigh, high.value > memory.value
    else { return }
    findings.refuse(
      Bound(key: "memory_high", stated: high, value: high.value),
      above: Bound(key: "memory", stated: memory, value: memory.value), plugin: plugin,
      words: Self.words)
  }
}

extension ResourceLimits.Overrides {
  /// Reads a mapping; what is wrong is noted and left out.
  init(_ value: ManifestValue, findings: Findings) {
    guard let fields = FieldDecoder(value, ResourceLimits.section, findings: findings) else {
      return
    }
    typealias Keys = ResourceLimits.Keys
    memory = fields.stated(Keys.memory)
    memoryHigh = fields.stated(Keys.memoryHigh)
    openFiles = fields.stated(Keys.openFiles)
    processes = fields.stated(Keys.processes)
    processors = fields.stated(Keys.processors)
    processorWeight = fields.stated(Keys.processorWeight)
  }
}
