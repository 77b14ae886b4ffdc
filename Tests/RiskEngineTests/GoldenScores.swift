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
  static let vector: UInt64 = 0x3fee_234c_78a4_f301

  static let all: [Golden] = [
    Golden(text: "Your code is 123456. Don't share it", bits: 0x3f27_6284_2f63_ed53),
    Golden(
      text: "IRS: a warrant is out for your arrest. Pay $900 in gift cards today",
      bits: 0x3fef_ffad_f95d_5360),
    Golden(text: "Hey are we still on for lunch tomorrow?", bits: 0x3f5f_3688_e375_af5e),
    Golden(
      text: "USPS: your parcel is on hold, pay the fee at http://usps-pay.top/a",
      bits: 0x3fef_fffb_5d21_4dc5),
    Golden(
      text: "p\u{0430}ypal.com \u{FF27}\u{FF29}\u{FF26}\u{FF34} \u{1F600} g i f t",
      bits: 0x3fef_fc08_d676_688b),
    Golden(text: "hola, su cuenta ha sido bloqueada", bits: 0x3f94_1679_5c69_b28a),
  ]
}
