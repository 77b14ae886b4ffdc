import Testing

@testable import KithPersonalData

/// Wallets, whose addresses are words of letters and digits.
@Suite struct WalletTests {
  /// Addresses without a digit, which one in some hundred is: of Tron and of Litecoin, with their
  /// sums.
  private static let withoutDigit = [
    "TYUwGyUBdWjHysvCZPyQXMyuYQiVhuoXWz", "LavdFvSbejeDNPkWkkMaiskBpqqhBNrEAz",
  ]

  @Test(arguments: withoutDigit)
  func anAddressWithoutADigitIsFound(_ address: String) {
    for policy in [ScanPolicy.message, .log] {
      let found = found("send it to \(address) today", policy: policy)
      #expect(found.map(\.type) == [.walletAddress])
      #expect(found.map(\.part) == [address])
      #expect(types(address, policy: policy) == [.walletAddress])
    }
  }

  @Test func aLineIsLookedAtFromTwentyFiveLettersInARowOn() {
    func word(_ count: Int) -> [UInt8] { Array(repeating: UInt8(ascii: "x"), count: count) }
    #expect(!PersonalDataScanner.mayHoldAny(word(24)))
    #expect(PersonalDataScanner.mayHoldAny(word(25)))
    #expect(!PersonalDataScanner.mayHoldAny(word(24) + [0x20] + word(24)))
  }

  @Test(arguments: withoutDigit)
  func anAddressWithAnotherLetterIsNone(_ address: String) {
    #expect(types(String(address.dropLast()) + "A").isEmpty)
  }
}
