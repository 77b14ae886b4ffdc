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
  static let vector: UInt64 = 0x3fee_214f_8d1b_8f2c

  static let all: [Golden] = [
    Golden(text: "Your code is 123456. Don't share it", bits: 0x3f27_1218_2eea_22bb),
    Golden(
      text: "IRS: a warrant is out for your arrest. Pay $900 in gift cards today",
      bits: 0x3fef_ffad_915c_39f5),
    Golden(text: "Hey are we still on for lunch tomorrow?", bits: 0x3f5e_d21c_1edb_1177),
    Golden(
      text: "USPS: your parcel is on hold, pay the fee at http://usps-pay.top/a",
      bits: 0x3fef_fffb_44fe_4a43),
    Golden(
      text: "p\u{0430}ypal.com \u{FF27}\u{FF29}\u{FF26}\u{FF34} \u{1F600} g i f t",
      bits: 0x3fef_fc00_722e_6271),
    Golden(text: "hola, su cuenta ha sido bloqueada", bits: 0x3f94_03bf_2316_04b8),
  ]
}
