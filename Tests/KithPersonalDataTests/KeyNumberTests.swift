import KithPersonalData
import Testing

/// The numbers of keys in what programs write.
@Suite struct KeyNumberTests {
  @Test(arguments: [
    // Ids of keys are random: these look like numbers of New York and of Oakland.
    "it was sealed with key 2125550182, which is not in /x/keys/sealing.keys",
    "cannot be opened with keys 4155550182 and 2125550182", "key_id 2125550182 is not known",
  ])
  func theNumberOfAKeyIsNoTelephoneNumberInALog(_ text: String) {
    #expect(types(text, policy: .log).isEmpty)
  }

  @Test(arguments: [
    "key 0000000000", "key 00000000", "key id 0000-0000-0000", "phone 000-000-0000",
    "call 0000000000", "00000000-0000-0000-0000-000000000000", "key 000 0000 0000 is empty",
  ])
  func anEmptyNumberIsNobodys(_ text: String) {
    #expect(types(text, policy: .log).isEmpty)
    #expect(types(text, policy: .message).isEmpty)
  }

  @Test func aTelephoneNumberBesideAKeyIsStillFound() {
    #expect(types("the phone 212-555-0182 has the key 7", policy: .log) == [.phoneNumber])
    #expect(types("The key is at 2125550182", policy: .message) == [.phoneNumber])
  }
}
