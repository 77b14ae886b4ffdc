/// A decoder that is fed with hostile bytes. What it must never do ends the process, so that
/// libFuzzer keeps the input.
protocol FuzzTarget: Sendable {
  /// Feeds it once.
  func run(_ input: [UInt8])
}

/// All there are.
enum FuzzTargets {
  private static let makers: [(name: String, make: @Sendable () throws -> any FuzzTarget)] = [
    ("worker-frames", { WorkerFramesTarget() }),
    ("caller-frames", { CallerFramesTarget() }),
    ("protobuf", { try ProtobufTarget() }),
    ("json", { try JSONTarget() }),
    ("manifests", { ManifestsTarget() }),
    ("texts", { try TextsTarget() }),
  ]

  /// Their names.
  static var names: [String] { makers.map(\.name) }

  /// Set once, before libFuzzer runs: its callback is a C function, which can hold nothing.
  nonisolated(unsafe) private static var chosen: (any FuzzTarget)?

  /// Chooses the one that `run` feeds; false when there is none of that name.
  static func choose(_ name: String) -> Bool {
    chosen = try? makers.first { $0.name == name }?.make()
    return chosen != nil
  }

  /// Feeds the chosen one.
  static func run(_ input: UnsafeRawBufferPointer) { chosen?.run(Array(input)) }
}
