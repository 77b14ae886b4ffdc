/// How the SDK keeps a worker's store, where the worker has one.
///
/// ```yaml
/// store: { when_damaged: refuse, keep_events: 30d, keep_events_size: 64MiB }
/// ```
public struct StoreSettings: Sendable, Hashable {
  /// What is done about a store that is damaged.
  public enum WhenDamaged: String, Sendable, Hashable, CaseIterable {
    /// The worker does not start, and the file stays as it is, until a person has decided. The
    /// default: what could be saved may lack what somebody relies on, and looks whole.
    case refuse
    /// The damaged file is kept beside, and what could be saved of it goes on; the worker is
    /// degraded and says what it was.
    case salvage
  }

  /// What is done about a store that is damaged.
  public var whenDamaged: WhenDamaged
  /// How long events are kept for consumers that are away. 30 days unless told; 1 minute to 10
  /// years.
  public var keepEvents: Duration
  /// How many bytes of events are kept at most. 64 MiB unless told; 64 KiB to 1 TiB.
  public var keepEventsBytes: UInt64

  /// Settings with these values.
  public init(
    whenDamaged: WhenDamaged = .refuse, keepEvents: Duration = .seconds(30 * 86_400),
    keepEventsBytes: UInt64 = 64 << 20
  ) {
    self.whenDamaged = whenDamaged
    self.keepEvents = keepEvents
    self.keepEventsBytes = keepEventsBytes
  }
}

extension StoreSettings: CustomStringConvertible {
  /// `when_damaged salvage, keep_events 7d, keep_events_size 1MiB`
  public var description: String {
    "when_damaged \(whenDamaged.rawValue), keep_events \(keepEvents.short), "
      + "keep_events_size \(ResourceLimits.words(keepEventsBytes))"
  }
}
