import Testing

/// Scores by bits, and the bundle that they belong to.
enum GoldenScores {
  /// A text and the bits of its score.
  struct Golden: Sendable, CustomTestStringConvertible {
    var text: String
    var bits: UInt64
    var testDescription: String { String(text.prefix(40)) }
  }

  /// The score of the feature vector in `EdgeCaseTests`.
  static let vector: UInt64 = 0x3fed_aa21_0e8d_9005

  static let all: [Golden] = [
    Golden(text: "Your code is 123456. Don't share it", bits: 0x3f56_0c0e_cf54_4699),
    Golden(
      text: "IRS: a warrant is out for your arrest. Pay $900 in gift cards today",
      bits: 0x3fef_db50_3195_9507),
    Golden(text: "Hey are we still on for lunch tomorrow?", bits: 0x3f83_ec84_53fb_9cc3),
    Golden(
      text: "USPS: your parcel is on hold, pay the fee at http://usps-pay.top/a",
      bits: 0x3fef_ffe9_22b1_2a19),
    Golden(
      text: "p\u{0430}ypal.com \u{FF27}\u{FF29}\u{FF26}\u{FF34} \u{1F600} g i f t",
      bits: 0x3fef_caeb_f2e9_c43c),
    Golden(text: "hola, su cuenta ha sido bloqueada", bits: 0x3fa3_a217_3ca3_c6c3),
  ]
}
