import Testing

@testable import KithPersonalData

/// The rules of numbers at their bounds, each by its name.
@Suite struct BoundaryTests {
  @Test(arguments: [
    // Neither an area nor an exchange is N11, and neither begins with 0 or 1.
    ("2129210182", true), ("2129110182", false), ("2124110182", false), ("9115550182", false),
    ("2111550182", false), ("2121550182", false), ("1125550182", false), ("2025550182", true),
  ])
  func aNorthAmericanNumberHasAnAreaAndAnExchange(_ text: String, _ isOne: Bool) {
    #expect(Scan.isNorthAmerican(text.utf8.map { $0 - 48 }[...]) == isOne)
  }

  @Test(arguments: [
    (899_12_3456, true), (900_12_3456, false), (000_12_3456, false), (666_12_3456, false),
    (123_00_4567, false), (123_45_0000, false), (1_01_0001, true),
  ])
  func aSocialSecurityNumberHasAnAreaBelowNineHundred(_ value: Int, _ isOne: Bool) {
    #expect(Scan.isSocialSecurityNumber(value) == isOne)
  }

  @Test func theGroupsOfASocialSecurityNumberArePartedAlike() {
    #expect(types("it is 512-44-8101 there") == [.socialSecurityNumber])
    #expect(types("it is 512-44 8101 there").isEmpty)
    #expect(types("it is 512 44-8101 there").isEmpty)
    #expect(types("it is 512-44.8101 there").isEmpty)
  }

  @Test func anExtensionHasSixDigitsAtMost() {
    #expect(
      found("call 212-555-0182 x123456 now").map(\.part) == ["212-555-0182 x123456"])
    #expect(found("call 212-555-0182 x1234567 now").map(\.part) == ["212-555-0182"])
  }

  @Test func anInternationalNumberHasEightToFifteenDigits() {
    #expect(types("it is +4412345 there").isEmpty)
    #expect(types("it is +44123456 there") == [.phoneNumber])
    #expect(types("it is +441234567890123 there") == [.phoneNumber])
    #expect(types("it is +4412345678901234 there").isEmpty)
  }
}
