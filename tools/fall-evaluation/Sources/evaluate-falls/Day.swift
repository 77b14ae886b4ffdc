/// How often somebody who lives at home does what was recorded, to count alerts in a month.
///
/// Assumed, not measured: the counts of a lively older person.
enum Day {
  static let counts: [String: Double] = [
    "D01": 30, "D02": 6, "D03": 0, "D04": 0, "D05": 6, "D06": 1, "D07": 20, "D08": 6, "D09": 6,
    "D10": 2, "D11": 1, "D12": 4, "D13": 0.5, "D14": 12, "D15": 10, "D16": 20, "D17": 2, "D18": 0.1,
    "D19": 0.2,
  ]
  /// The share of wearers of a false candidate who neither answer within 60 s nor move for 3 s.
  static let unanswered = 0.05

  /// Candidates a day: by the shares that were measured, and with half a false one more in each
  /// activity, since none among a hundred is not none at all.
  static func candidates(
    _ recordings: [Recording], _ detections: [Bool]
  ) -> (measured: Double, cautious: Double) {
    var sums = (measured: 0.0, cautious: 0.0)
    for (activity, count) in counts {
      let of = zip(recordings, detections).filter { $0.0.activity == activity }.map(\.1)
      guard !of.isEmpty else { continue }
      let wrong = Double(of.count { $0 })
      sums.measured += count * wrong / Double(of.count)
      sums.cautious += count * (wrong + 0.5) / (Double(of.count) + 1)
    }
    return sums
  }
}
