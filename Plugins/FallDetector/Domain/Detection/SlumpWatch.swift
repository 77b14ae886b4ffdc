/// Feeds the means of a stream to a `LongLieWatch`: three seconds of every ten, as a device that
/// samples in bursts does.
struct SlumpWatch: Sendable {
  /// Length of a stretch and from one to the next, in means.
  private static let length = 75
  private static let pace = 250

  private var watch: LongLieWatch
  private var seen = 0

  init(settings: DetectorSettings) {
    watch = LongLieWatch(settings: settings)
  }

  /// Looks at the means that a stream has finished since the last call.
  mutating func follow(_ stream: borrowing ImpactStream) -> Finding? {
    let count = stream.meanCount
    if count < seen { seen = 0 }
    // A stretch ends where the count passes a multiple of the pace.
    let end = count / Self.pace * Self.pace
    guard seen < end else {
      seen = count
      return nil
    }
    seen = count
    return watch.add(stream.stretch((end - Self.length)..<end))
  }
}
