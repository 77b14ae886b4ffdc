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
  static let vector: UInt64 = 0x3fee_78b1_d8f4_b0b1

  static let all: [Golden] = [
    Golden(text: "Your code is 123456. Don't share it", bits: 0x3f2e_0fe2_2a30_79f6),
    Golden(
      text: "IRS: a warrant is out for your arrest. Pay $900 in gift cards today",
      bits: 0x3fef_f34f_2442_748a),
    Golden(text: "Hey are we still on for lunch tomorrow?", bits: 0x3f63_b8e0_3d4d_c713),
    Golden(
      text: "USPS: your parcel is on hold, pay the fee at http://usps-pay.top/a",
      bits: 0x3fef_ffad_c549_d24a),
    Golden(
      text: "p\u{0430}ypal.com \u{FF27}\u{FF29}\u{FF26}\u{FF34} \u{1F600} g i f t",
      bits: 0x3fef_b8c8_2361_ca36),
    Golden(text: "hola, su cuenta ha sido bloqueada", bits: 0x3f61_e469_fa2d_ba44),
  ]
}
