/// How often somebody who lives at home does what was recorded, to count alerts in a month.
///
/// Assumed, not measured: the counts of a lively older person who wears the device in bed too.
enum Day {
  static let counts: [String: Double] = [
    "D01": 30, "D02": 6, "D03": 0, "D04": 0, "D05": 6, "D06": 1, "D07": 20, "D08": 6, "D09": 6,
    "D10": 2, "D11": 1, "D12": 4, "D13": 0.5, "D14": 12, "D15": 10, "D16": 20, "D17": 2, "D18": 0.1,
    "D19": 0.2,
  ]
  /// The share of false candidates after which the wearer neither answers within 60 s nor moves for
  /// 3 s: half of them for somebody who has just lain down or turned in bed, else one in twenty.
  static func unanswered(_ activity: String) -> Double {
    ["D12", "D13", "D14"].contains(activity) ? 0.5 : 0.05
  }

  /// False candidates a day and alerts that the wearer did not cancel a day. Of an activity that
  /// older subjects did, only their recordings count.
  ///
  /// - Parameter share: The share of recordings that every activity is taken to have; nil for the
  ///   measured share of each.
  static func alerts(
    _ recordings: [Recording], _ detections: [Bool], share: Double? = nil
  ) -> (candidates: Double, unanswered: Double) {
    var sums = (candidates: 0.0, unanswered: 0.0)
    for (activity, count) in counts {
      let all = zip(recordings, detections).filter { $0.0.activity == activity }
      let older = all.filter(\.0.isOlder)
      let of = Share((older.isEmpty ? all : older).map(\.1))
      sums.candidates += count * (share ?? of.value)
      sums.unanswered += count * (share ?? of.value) * unanswered(activity)
    }
    return sums
  }
}
