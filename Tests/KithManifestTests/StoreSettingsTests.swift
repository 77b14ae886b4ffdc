import Testing

@testable import KithManifest

/// How a worker's store is kept, from both manifests.
@Suite struct StoreSettingsTests {
  private func plugin(_ store: String) throws -> StoreSettings {
    try PluginManifest(
      parsing: """
        plugin: reminders
        version: 1.0.0
        executable: reminders-worker
        \(store)
        """, file: "plugin.yaml"
    ).store
  }

  @Test func whatIsNotSaidIsSafe() throws {
    let standard = StoreSettings(
      whenDamaged: .refuse, keepEvents: .seconds(30 * 86_400), keepEventsBytes: 64 << 20)
    let (absent, empty) = try (plugin(""), plugin("store: {}"))
    #expect(absent == standard && empty == standard)
    let said = try plugin(
      "store: { when_damaged: salvage, keep_events: 7d, keep_events_size: 1MiB }")
    #expect("\(said)" == "when_damaged salvage, keep_events 7d, keep_events_size 1MiB")
    #expect(
      said
        == StoreSettings(
          whenDamaged: .salvage, keepEvents: .seconds(7 * 86_400), keepEventsBytes: 1 << 20))
  }

  @Test(arguments: [
    ("store: { when_damaged: ignore }", "one of refuse, salvage"),
    ("store: { keep_events: 30 }", "a time with its unit"),
    ("store: { keep_events: 1s }", "a time from"),
    ("store: { keep_events_size: 1B }", "64KiB to 1TiB"),
    ("store: { keep_event: 1h }", "did you mean 'keep_events'"),
    ("store: yes", "a mapping"),
  ])
  func whatIsWrongIsNamed(_ store: String, _ words: String) {
    let error = #expect(throws: ManifestErrors.self) { try plugin(store) }
    #expect(error?.errors.first?.description.contains(words) == true, "\(error as Any)")
  }
}
