/// SM-2 (P. A. Wozniak, 1990): the schedule of older drills, kept for those who come from it.
public struct SuperMemo2: Sendable, Hashable {
  /// How easy the card is; 1.3 or more.
  public private(set) var easiness = 2.5
  /// How often it was remembered in a row.
  public private(set) var repetitions = 0
  /// After how many days it is shown again; 0 before it was ever shown.
  public private(set) var interval = 0

  /// A card that was never shown.
  public init() {}

  /// Whether it is to be shown again on the same day, until it is remembered well.
  public private(set) var isShownAgainToday = false

  /// Takes how well it was remembered: 0 not at all, 5 at once. Other numbers are taken as the
  /// nearer of these.
  public mutating func review(quality: Int) {
    let quality = min(max(quality, 0), 5)
    isShownAgainToday = quality < 4
    guard quality >= 3 else {
      // From the start, and no harder than before.
      (repetitions, interval) = (1, 1)
      return
    }
    repetitions += 1
    interval =
      switch repetitions {
      case 1: 1
      case 2: 6
      default: Int((Double(interval) * easiness).rounded(.up))
      }
    let missing = Double(5 - quality)
    easiness = max(easiness + 0.1 - missing * (0.08 + missing * 0.02), 1.3)
  }
}
