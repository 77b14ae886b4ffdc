import KithAccess
import Testing

/// What names a person.
@Suite struct UserIDTests {
  @Test(arguments: [
    ("a", true), (String(repeating: "a", count: 64), true),
    (String(repeating: "a", count: 65), false), ("", false), ("a-b_c.d:9", true), ("a b", false),
    ("ä", false), ("a/b", false), ("a\u{0}", false),
  ])
  func anIDIsOneToSixtyFourHarmlessCharacters(_ text: String, _ isOne: Bool) {
    #expect((UserID(text) != nil) == isOne)
    #expect(UserID(text)?.text == (isOne ? text : nil))
  }
}
