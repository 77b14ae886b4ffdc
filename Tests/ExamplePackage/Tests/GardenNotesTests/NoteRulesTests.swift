import GardenNotesDomain
import Testing

@Suite struct NoteRulesTests {
  @Test(
    arguments: [
      ("Pills", nil), ("", .empty), (" \n", .empty),
      (String(repeating: "a", count: 501), .tooLong),
    ] as [(String, NoteRules.Refusal?)])
  func textsAreChecked(_ text: String, _ expected: NoteRules.Refusal?) {
    var refusal: NoteRules.Refusal?
    do throws(NoteRules.Refusal) { try NoteRules.check(text: text) } catch { refusal = error }
    #expect(refusal == expected)
  }

  @Test func aNoteIsDueWhenItsAuthorSaysSo() {
    let rules = NoteRules(dueAfter: 60_000)
    #expect(rules.due(wanted: nil, now: 1_000) == 61_000)
    #expect(rules.due(wanted: 5_000, now: 1_000) == 5_000)
  }
}
