import KithTesting

extension ProductSetup.Plugin {
  /// The plugin of the worker for tests, with the keys that it reads.
  /// - Parameter more: further lines of its `plugin.yaml`.
  static func soak(
    _ name: String,
    provides: String = "kith.risk.v1.RiskEngine, kith.testing.v1.Streams, kith.testing.v1.Once",
    _ more: String...
  ) -> ProductSetup.Plugin {
    ProductSetup.Plugin(
      manifest: """
        plugin: \(name)
        version: 1.0.0
        executable: misbehaving-worker
        provides: [\(provides)]
        \(more.joined(separator: "\n"))
        config:
          at_start: { type: string, default: nothing, doc: "What it does at its start." }
          mood: { type: string, default: calm, doc: "What it answers when asked." }

        """)
  }
}

extension ProductSetup {
  /// A product of one worker, `odd`, which keeps something.
  static func soak(_ odd: Plugin) -> ProductSetup {
    ProductSetup(
      product: """
        product: soak
        title: Soak
        posture: personal
        workers:
          odd: {}

        """, plugins: [odd])
  }
}
