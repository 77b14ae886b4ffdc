import Testing

/// Scores by bits, and the bundle that they belong to.
enum GoldenScores {
  /// A text and the bits of its score.
  struct Golden: Sendable, CustomTestStringConvertible {
    var text: String
    var bits: UInt64
    var testDescription: String { String(text.prefix(40)) }
  }

  static let all: [Golden] = [
    Golden(text: "Your code is 123456. Don't share it", bits: 0x3F2341D0292FB934),
    Golden(text: "IRS: a warrant is out for your arrest. Pay $900 in gift cards today", bits: 0x3FEFBE9C54EDD7C9),
    Golden(text: "Hey are we still on for lunch tomorrow?", bits: 0x3F609EBBF68CBF4E),
    Golden(text: "USPS: your parcel is on hold, pay the fee at http://usps-pay.top/a", bits: 0x3FEFFF971211DBF9),
    Golden(text: "p\u{0430}ypal.com \u{FF27}\u{FF29}\u{FF26}\u{FF34} \u{1F600} g i f t", bits: 0x3FEFE241180655D6),
    Golden(text: "hola, su cuenta ha sido bloqueada", bits: 0x3F5D66D5383F96BD),
  ]
}
