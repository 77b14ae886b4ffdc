extension StoreSettings {
  /// What one manifest states of a store. A product's is laid over its base's, and that over the
  /// plugin's.
  package struct Overrides: Sendable, Equatable {
    var whenDamaged: WhenDamaged?
    var keepEvents: Duration?
    var keepEventsBytes: UInt64?

    /// These over others: what they do not state is as there.
    package func over(_ base: Self) -> Self {
      Self(
        whenDamaged: whenDamaged ?? base.whenDamaged, keepEvents: keepEvents ?? base.keepEvents,
        keepEventsBytes: keepEventsBytes ?? base.keepEventsBytes)
    }
  }

  fileprivate enum Keys {
    static let whenDamaged = Key<WhenDamaged>.word(
      "when_damaged", standard: .refuse,
      doc:
        "Whether a damaged store stops the worker, or what can be read is copied to a new file.")
    static let keepEvents = Key.duration(
      "keep_events", .seconds(60)...(.seconds(3_650 * 86_400)), standard: .seconds(30 * 86_400),
      doc: "How long events are kept for subscribers that are away.")
    static let keepEventsSize = Key<UInt64>(
      "keep_events_size", type: "bytes", range: "64KiB to 1TiB", standard: 64 << 20,
      shown: "64MiB", doc: "The largest size of the event log."
    ) { scalars, value in
      guard let bytes = scalars.bytes(value) else { return nil }
      guard (64 << 10...1 << 40).contains(bytes) else {
        return scalars.outOfRange(value, "64KiB to 1TiB")
      }
      return UInt64(bytes)
    }
  }

  static let section = ManifestSection(
    "store", "How the store of a worker is kept, where the worker has one.",
    form: "a mapping: { when_damaged: refuse, keep_events: 30d }",
    keys: [Keys.whenDamaged.manifest, Keys.keepEvents.manifest, Keys.keepEventsSize.manifest])

  static let key = Key.nested(
    "store", shown: "see store", section: "store", doc: "How its store is kept.")

  /// The settings that the layers come to together.
  package init(_ stated: Overrides) {
    let standard = StoreSettings()
    self.init(
      whenDamaged: stated.whenDamaged ?? standard.whenDamaged,
      keepEvents: stated.keepEvents ?? standard.keepEvents,
      keepEventsBytes: stated.keepEventsBytes ?? standard.keepEventsBytes)
  }
}

extension StoreSettings.Overrides {
  /// Reads a mapping; what is wrong is noted and left out.
  init(_ value: ManifestValue, findings: Findings) {
    guard let fields = FieldDecoder(value, StoreSettings.section, findings: findings) else {
      return
    }
    whenDamaged = fields.read(StoreSettings.Keys.whenDamaged)
    keepEvents = fields.read(StoreSettings.Keys.keepEvents)
    keepEventsBytes = fields.read(StoreSettings.Keys.keepEventsSize)
  }
}
