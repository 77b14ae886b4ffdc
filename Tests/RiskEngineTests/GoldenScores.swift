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
  static let vector: UInt64 = 0x3fee_33ea_5051_502a

  static let all: [Golden] = [
    Golden(text: "Your code is 123456. Don't share it", bits: 0x3f26_9bc8_476a_38eb),
    Golden(
      text: "IRS: a warrant is out for your arrest. Pay $900 in gift cards today",
      bits: 0x3fef_ffb3_7d8e_1612),
    Golden(text: "Hey are we still on for lunch tomorrow?", bits: 0x3f5f_3800_27e1_6c5a),
    Golden(
      text: "USPS: your parcel is on hold, pay the fee at http://usps-pay.top/a",
      bits: 0x3fef_fffb_a365_9abd),
    Golden(
      text: "p\u{0430}ypal.com \u{FF27}\u{FF29}\u{FF26}\u{FF34} \u{1F600} g i f t",
      bits: 0x3fef_fc4a_5972_50be),
    Golden(text: "hola, su cuenta ha sido bloqueada", bits: 0x3f94_557b_a2bf_ef2c),
  ]
}
