import DeliveryDomain
import Testing

/// Text messages: alphabets, segments, forms and signatures.
@Suite struct TextTests {
  /// 9.6, 18: more than 160 characters, and accents.
  @Test(arguments: [
    ("", 0, SMSText.Alphabet.gsm7), ("x", 1, .gsm7), (String(repeating: "x", count: 160), 1, .gsm7),
    (String(repeating: "x", count: 161), 2, .gsm7), (String(repeating: "x", count: 306), 2, .gsm7),
    (String(repeating: "x", count: 307), 3, .gsm7),
    // é, ä and ñ are of the alphabet; ê and ł are not.
    (String(repeating: "éäñ", count: 53) + "é", 1, .gsm7),
    (String(repeating: "ê", count: 70), 1, .ucs2), (String(repeating: "ê", count: 71), 2, .ucs2),
    (String(repeating: "ł", count: 134), 2, .ucs2), (String(repeating: "ł", count: 135), 3, .ucs2),
    // The extension table: two characters each, never parted.
    (String(repeating: "€", count: 80), 1, .gsm7), (String(repeating: "€", count: 81), 2, .gsm7),
    (String(repeating: "x", count: 152) + "€" + String(repeating: "x", count: 152), 3, .gsm7),
    // An emoji is two units, never parted.
    (String(repeating: "😀", count: 35), 1, .ucs2), (String(repeating: "😀", count: 36), 2, .ucs2),
    (String(repeating: "😀", count: 67), 3, .ucs2),
  ])
  func segments(text: String, segments: Int, alphabet: SMSText.Alphabet) {
    let sms = SMSText(text)
    #expect(sms.segments == segments)
    #expect(sms.alphabet == alphabet)
  }

  @Test func typographyBecomesPlain() {
    let sms = SMSText("“Milo” – it’s 8\u{00A0}pm…")
    #expect(sms.text == "\"Milo\" - it's 8 pm...")
    #expect(sms.alphabet == .gsm7)
  }

  @Test func nothingEmptyOrEndlessIsSent() {
    #expect(SMSText("").problem != nil)
    #expect(SMSText(String(repeating: "x", count: 1530)).problem == nil)
    #expect(SMSText(String(repeating: "x", count: 1531)).problem != nil)
  }

  /// The example of Twilio's documentation, "Validating Signatures from Twilio".
  @Test func twiliosSignatureIsChecked() {
    let form = [
      (name: "CallSid", value: "CA1234567890ABCDE"), (name: "Caller", value: "+14158675310"),
      (name: "Digits", value: "1234"), (name: "From", value: "+14158675310"),
      (name: "To", value: "+18005551212"),
    ]
    let url = "https://example.com/myapp.php?foo=1&bar=2"
    func isTwilio(_ signature: String, _ url: String, _ token: String) -> Bool {
      CallbackSignature.isTwilio(signature, url: url, form: form.reversed(), token: token)
    }
    let signature = "L/OH5YylLD5NRKLltdqwSvS0BnU="
    #expect(isTwilio(signature, url, "12345"))
    #expect(!isTwilio(signature, url, "12346"))
    #expect(!isTwilio(signature, url + "&a=b", "12345"))
    #expect(!isTwilio("", url, "12345"))
  }

  @Test func formsAreReadAndWritten() throws {
    let fields = [(name: "a b", value: "ü&=+%\r\n"), (name: "", value: "")]
    let text = FormFields.encode(fields)
    #expect(text == "a%20b=%C3%BC%26%3D%2B%25%0D%0A&=")
    let read = try #require(FormFields.decode(Array(text.utf8)))
    #expect(read.map(\.name) == ["a b", ""] && read.map(\.value) == ["ü&=+%\r\n", ""])
    #expect(FormFields.decode(Array("a+b=c+d&e".utf8))?.map(\.value) == ["c d", ""])
    for hostile in ["%", "%2", "%zz=1", "a=%ff"] {
      #expect(FormFields.decode(Array(hostile.utf8)) == nil, "\(hostile)")
    }
  }
}
