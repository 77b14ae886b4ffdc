import Testing

@testable import RiskEngineDomain

struct DeterminismTests {
  @Test func exponentialHasTheseBits() {
    #expect(DeterministicMath.exponential(0) == 1)
    #expect(abs(DeterministicMath.exponential(1) - 2.718281828459045) < 1e-15)
    #expect(abs(DeterministicMath.exponential(-20) - 2.061153622438558e-9) < 1e-23)
    #expect(DeterministicMath.exponential(10_000) == DeterministicMath.exponential(700))
    #expect(DeterministicMath.exponential(-10_000) > 0)
    #expect(DeterministicMath.exponential(.nan).isNaN)
  }

  @Test func logarithmInvertsTheExponential() {
    for x in stride(from: -30.0, through: 30, by: 0.37) {
      let back = DeterministicMath.logarithm(DeterministicMath.exponential(x))
      #expect(abs(back - x) < 1e-13 * max(1, abs(x)))
    }
    #expect(DeterministicMath.logarithm(1) == 0)
    #expect(DeterministicMath.logarithm(0) == -.infinity)
  }

  @Test func countsAreDampedToTheseIntegers() {
    #expect(TextModel.dampedCounts[0] == 0)
    #expect(TextModel.dampedCounts[1] == 65536)
    #expect(TextModel.dampedCounts[2] == 110_962)
    #expect(TextModel.dampedCounts[10] == 216_438)
  }

  @Test func featuresHashToTheseNumbers() {
    #expect(StableHash.word("paypal") == 0xA67E_3CAE_78DF_E5E6)
    let gift = "gift".unicodeScalars.reduce(0x1000_0001) { StableHash.featureStep($0, $1.value) }
    #expect(gift == 0x93A4_D3AE)
    #expect(StableHash.featureFinish(gift) == 0xCAD4_F4D3)
    #expect(StableHash.featureFinish(0) == 0)
    #expect(StableHash.featureFinish(1) == 0x514E_28B7)
    #expect(TextModel.slot(of: 0x8000_0005) == (5, -1))
    #expect(TextModel.slot(of: 0x0004_0005) == (5, 1))
  }

  @Test func modelFilesReadBackAsWritten() throws {
    let model = try Fixtures.engine().model
    let bytes = model.encoded()
    #expect(try TextModel(decoding: bytes).encoded() == bytes)
    #expect(throws: TextModel.FileError.self) { try TextModel(decoding: Array(bytes.dropLast())) }
    #expect(throws: TextModel.FileError.self) { try TextModel(decoding: [1, 2, 3]) }
    var other = bytes
    other[8] = 99
    #expect(throws: TextModel.FileError.self) { try TextModel(decoding: other) }
  }

  /// The bits of scores, of the bundle with this checksum, on every machine. A new bundle changes
  /// them: then the test fails with the new bits to put here.
  @Test(arguments: GoldenScores.all)
  func scoresHaveTheseBits(golden: GoldenScores.Golden) throws {
    let score = try Fixtures.engine().assess(golden.text).score
    #expect(
      score.bitPattern == golden.bits, "\(golden.text): 0x\(String(score.bitPattern, radix: 16))")
  }
}
