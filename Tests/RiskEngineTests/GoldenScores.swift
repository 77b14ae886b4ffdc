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
  static let vector: UInt64 = 0x3fed_c161_ca02_51de

  static let all: [Golden] = [
    Golden(text: "Your code is 123456. Don't share it", bits: 0x3f54_bddb_3684_d8e3),
    Golden(
      text: "IRS: a warrant is out for your arrest. Pay $900 in gift cards today",
      bits: 0x3fef_da9f_6e84_12d0),
    Golden(text: "Hey are we still on for lunch tomorrow?", bits: 0x3f84_bb71_f868_4040),
    Golden(
      text: "USPS: your parcel is on hold, pay the fee at http://usps-pay.top/a",
      bits: 0x3fef_ffeb_8525_c391),
    Golden(
      text: "p\u{0430}ypal.com \u{FF27}\u{FF29}\u{FF26}\u{FF34} \u{1F600} g i f t",
      bits: 0x3fef_d02f_3357_be73),
    Golden(text: "hola, su cuenta ha sido bloqueada", bits: 0x3fa2_e309_343f_13d0),
  ]
}
