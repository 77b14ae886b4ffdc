/// What a worker's process may use at most.
public struct ResourceLimits: Sendable, Hashable {
  /// Memory in bytes. No limit unless told; 16 MiB at least.
  public var memoryBytes: UInt64?
  /// Open files, sockets among them. The host's own limit unless told; 32 to 1048576.
  public var openFiles: Int?

  /// Limits with these values.
  public init(memoryBytes: UInt64? = nil, openFiles: Int? = nil) {
    self.memoryBytes = memoryBytes
    self.openFiles = openFiles
  }

  private static let leastMemory: Int128 = 16 << 20

  /// Reads `{ memory: 256MiB, open_files: 256 }` over limits that stand where a key is not given.
  init?(_ value: ManifestValue, over standard: ResourceLimits, findings: Findings) {
    guard
      var fields = FieldDecoder(
        value, "a mapping: { memory: 256MiB, open_files: 256 }", findings: findings)
    else { return nil }
    memoryBytes = fields.value("memory", default: standard.memoryBytes) { scalars, value in
      guard let bytes = scalars.bytes(value) else { return nil }
      guard bytes >= Self.leastMemory else {
        return scalars.outOfRange(value, "16MiB at least")
      }
      return UInt64(bytes)
    }
    openFiles = fields.value("open_files", default: standard.openFiles) {
      $0.integer($1, 64...1_048_576)
    }
    fields.finish()
  }
}
