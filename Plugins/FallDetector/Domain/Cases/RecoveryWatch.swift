/// Notices that a wearer who is being asked moves again: three seconds of movement in a row, each
/// as lively as walking.
///
/// Fed with the samples that come after the candidate. A gap between samples begins again, since
/// nobody knows what was in it.
public struct RecoveryWatch: Sendable, Hashable {
  /// How long the movement must last, in nanoseconds.
  public static let movement: Int64 = 3_000_000_000
  /// The deviation of the acceleration in a second that counts as movement, in g. Breath and tremor
  /// stay far below; walking has 0.15 and more.
  public static let liveliness = 0.1

  private static let window: Int64 = 1_000_000_000
  private static let longestGap: Int64 = 500_000_000
  /// Fewer samples in a second say nothing.
  private static let fewest = 10

  private var last: Int64?
  private var begin: Int64 = 0
  private var count = 0
  private var sum = 0.0
  private var squares = 0.0
  private var moved: Int64 = 0
  private var liveliest = 0.0

  /// A watch that has seen nothing.
  public init() {}

  /// Takes a sample. Answers what was seen, in plain words, when the wearer has moved for long
  /// enough. A sample that is not later than the one before is left out.
  public mutating func add(_ sample: AccelerationSample) -> String? {
    guard let last else {
      restart(at: sample)
      return nil
    }
    guard sample.nanoseconds > last else { return nil }
    guard sample.nanoseconds - last <= Self.longestGap else {
      moved = 0
      liveliest = 0
      restart(at: sample)
      return nil
    }
    self.last = sample.nanoseconds
    note(sample)
    guard sample.nanoseconds - begin >= Self.window else { return nil }
    let mean = sum / Double(count)
    let deviation = max(0, squares / Double(count) - mean * mean).squareRoot()
    if count >= Self.fewest, deviation >= Self.liveliness {
      moved += sample.nanoseconds - begin
      liveliest = max(liveliest, deviation)
    } else {
      moved = 0
      liveliest = 0
    }
    let (duration, most) = (moved, liveliest)
    restart(at: sample)
    guard duration >= Self.movement else { return nil }
    moved = 0
    let tenths = (Double(duration) / 1e8).rounded() / 10
    let hundredths = (most * 100).rounded() / 100
    return "the wearer moved for \(tenths) s, up to \(hundredths) g around the mean"
  }

  private mutating func restart(at sample: AccelerationSample) {
    last = sample.nanoseconds
    begin = sample.nanoseconds
    (count, sum, squares) = (0, 0, 0)
    note(sample)
  }

  private mutating func note(_ sample: AccelerationSample) {
    let square = sample.x * sample.x + sample.y * sample.y + sample.z * sample.z
    count += 1
    sum += square.squareRoot()
    squares += square
  }
}
