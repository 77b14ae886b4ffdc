import KithPersonalData
import Testing

/// What is found and what is not, type by type.
struct DetectorTests {
  @Test(arguments: [
    (PersonalDataType.paymentCard, "amex ‹3782 822463 10005› and ‹378282246310005›"),
    (.paymentCard, "spoken: ‹4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1›"),
    (.paymentCard, "full width ‹４１１１１１１１１１１１１１１１›"),
    (.paymentCard, "hidden ‹4111\u{200B}1111\u{200D}1111\u{2060}1111›"),
    (.paymentCard, "in Arabic ‹٤١١١ ١١١١ ١١١١ ١١١١›"),
    (.paymentCard, "my new card ‹3517 8976 6309 9462› came"),
    (.socialSecurityNumber, "‹123-45-6789›, ‹123.45.6789›"),
    (.socialSecurityNumber, "my social is ‹123 45 6789›"),
    (.socialSecurityNumber, "What is your social security number? ‹123456789›"),
    (.taxpayerNumber, "ITIN ‹912-70-1234›"),
    (.iban, "to ‹GB82WEST12345698765432› or ‹FR14 2004 1010 0505 0001 3M02 606›"),
    (.walletAddress, "send it to ‹1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa›"),
    (.walletAddress, "or ‹0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed› please"),
    (.bankRouting, "routing number ‹021000021›, or ‹0210-0002-1›"),
    (.bankAccount, "my checking account number is ‹0012345678›"),
    (.emailAddress, "‹jo.o'neil+news@mail.example.co.uk›, <‹a_b@example.org›>."),
    (.emailAddress, "?email=‹jo%40example.org›&x=1 and mailto:‹jo@example.org›"),
    (.emailAddress, "write to ‹jo (at) example dot org› or ‹jo at example dot org›"),
    (.emailAddress, "‹info@bücher.example› and ‹user@xn--bcher-kva.example›"),
    (.phoneNumber, "‹+1 415 555 0182›, ‹415.555.0182›, ‹1-800-555-0199›, ‹4155550182›"),
    (.phoneNumber, "from ‹+44 (20) 7946 0018› or ‹+49 30 1234567›, or ‹001-415-555-0182›"),
    (.phoneNumber, "phone: ‹020 7946 0018›"),
    (.phoneNumber, "call me at ‹555-0182›"),
    (.phoneNumber, "spoken: ‹4 1 5 5 5 5 0 1 8 2›"),
    (.phoneNumber, "her cell\u{2019}s ‹415–555–0182›"),
    (.streetAddress, "at ‹12 Main St., Apt. 4B, Springfield, IL 62701-1234›."),
    (.streetAddress, "‹1600 Pennsylvania Avenue NW, Washington, DC 20500›"),
    (.streetAddress, "he lives at ‹47 west 42nd street› now"),
    (.streetAddress, "‹P.O. Box 1234, Dayton, OH 45401› or ‹PSC 12, Box 34, APO AE 09123›"),
    (.dateOfBirth, "born on ‹April 8, 1952›"),
    (.dateOfBirth, "DOB: ‹04/08/1952›"),
    (.dateOfBirth, "‹1952-04-08› is her date of birth"),
    (.dateOfBirth, "his birthday is ‹8th of April 1952›"),
    (.driversLicense, "my driver's license is ‹D1234567›"),
    (.passport, "passport no. ‹C12345678›"),
    (.vehicle, "the car ‹1M8GDM9AXKP042788› is hers"),
    (.nationalProvider, "NPI ‹1234567893›"),
    (.deaRegistration, "DEA number ‹AB1234563›"),
    (.ipAddress, "from ‹203.0.113.9›, ‹2001:db8::8a2e:370:7334› and [‹::1›]:80"),
    (.macAddress, "‹00:1A:2B:3C:4D:5E› ‹AA-BB-CC-DD-EE-FF› ‹0012.3456.789a›"),
    (.urlCredentials, "https://‹jo:secret›@host/path"),
    (.oneTimeCode, "Your code is ‹482913›."),
    (.oneTimeCode, "‹482913› is your verification code"),
    (.cardSecurityCode, "and the CVV is ‹123›"),
  ])
  func finds(type: PersonalDataType, marked: String) {
    let text = Marked(marked)
    let findings = PersonalDataScanner().findings(in: Array(text.text.utf8))
    #expect(findings.map(\.bytes) == text.ranges)
    #expect(findings.allSatisfy { $0.type == type })
  }

  @Test(arguments: [
    "Win £100 High Street prizes at 11:45 AM PT or €1000 with your code",
    "It costs $4155550182, or 1,234,567.89 dollars.", "order #4155550182 of 11/02/2025",
    "The meeting is on April 8, 2025 at 12:30.", "exit code 1374, error code 48291",
    "zip code 62701 and area code 4155", "Your promo code 20501 ends on 2025-11-01",
    "std::cout << a::b::c; ratio 1:2:3:4", "300.168.1.1 and 192.168.1.256 and 1.2.3",
    "We walked 3 miles down the road and had 2 way streets", "In 1952 there were 12 of them.",
    "12345:db8::1 2001::db8::1 :::", "user@localhost and @handle and a@b", "AB1234567 flight",
    "16Yeky6GMjeNkAiNcBY7ZhrLoMSgg1BoyZ2 and 1A1zP1eP5QGefi2DMPTfTL5SLmv7Divfb",
    "8f953371d3e85eddb89b05ed6b9e680791055315c73e1025ab5dba7bb2aee189", "1HGCM82633A004353",
    "account ending in 123456", "It was born of 3 ideas.", "", " ", "[REDACTED_SSN]",
    "0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "1,2,3,4,5,6,7,8,9", "0.5 1.5 2.5",
  ])
  func leavesAlone(text: String) {
    #expect(found(text).map(\.part) == [])
  }

  @Test func aTextWithoutWordsIsAnAnswer() {
    #expect(types("078051121.") == [.socialSecurityNumber])
    #expect(types("021000021") == [.bankRouting])
    #expect(types("1234567893") == [.nationalProvider])
    #expect(types("078-051121") == [.socialSecurityNumber] && !stops("078-051121"))
    // In a log it is a count.
    #expect(types("078051121", policy: .log).isEmpty && types("021000021", policy: .log).isEmpty)
  }

  @Test func theNearestWordSaysWhatANumberIs() {
    let text = "Routing 021000021, account 123456789, SSN 123456789, order 123456789."
    #expect(types(text) == [.bankRouting, .bankAccount, .socialSecurityNumber])
  }

  @Test func whatIsConfirmedWinsOverWhatIsNot() {
    // Twelve of these digits, or ten, would be other things.
    #expect(types("card 4155 5501 8200 0009") == [.paymentCard])
    #expect(types("https://jo:a@b.example@host") == [.urlCredentials])
  }

  @Test func everyIBANOfTheStandardsExamplesHasItsCountrysLength() {
    for text in [
      "AD1200012030200359100100", "AT611904300234573201", "BE68539007547034",
      "CH9300762011623852957", "ES9121000418450200051332", "NO9386011117947",
      "MT84MALT011000012345MTLCAST001S", "NL91ABNA0417164300",
    ] {
      #expect(types(text) == [.iban])
      #expect(types(String(text.dropLast())).isEmpty)
      #expect(types(text + "1").isEmpty)
    }
  }
}
