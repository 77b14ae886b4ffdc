import KithWire
import Testing

/// Both implementations of protobuf say the same, byte for byte, about every message there is.
@Suite struct AgreementTests {
  @Test func everyMessageIsCompared() {
    #expect(Pair.all.map(\.name).sorted() == Schema.standard.names)
  }

  @Test(arguments: Pair.all)
  func randomValuesAgree(_ pair: Pair) throws {
    for seed in UInt64(0)..<50 {
      var source = MessageSource(seed: seed, isLoose: false)
      try compare(pair, source.message(pair.name), seed: seed)
    }
  }

  @Test(arguments: Pair.all)
  func whatADecoderMustReadAgrees(_ pair: Pair) throws {
    for seed in UInt64(1000)..<1050 {
      var source = MessageSource(seed: seed, isLoose: true)
      try compare(pair, source.message(pair.name), seed: seed)
    }
  }

  private func compare(_ pair: Pair, _ bytes: [UInt8], seed: UInt64) throws {
    let ours = try pair.recode(bytes)
    let theirs = try pair.recodeByOther(bytes)
    #expect(ours == theirs, "\(pair.name), seed \(seed)")
    #expect(try pair.recode(theirs) == theirs, "\(pair.name), seed \(seed), there and back")
    #expect(try pair.recodeByOther(ours) == ours, "\(pair.name), seed \(seed), back and there")
  }
}
