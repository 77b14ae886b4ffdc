import KithJSON
import Testing

@testable import KithCommands
@testable import KithTerminal

struct DemoTests {
  private static let text = """
    {"about": "It shows.", "method": "kith.risk.v1.RiskEngine/Analyze", "show": ["label", "reasons.0.sentence", "x"],
     "scenes": [{"title": "One", "request": {"text": "a longer text", "channel": "SMS"},
                 "expect": {"label": "LIKELY_SCAM", "reasons.0.signal": "gift"}}]}
    """

  private let answer: JSONValue = [
    "label": "LIKELY_SCAM", "reasons": [["signal": "gift", "sentence": "It asks for a gift."]],
  ]

  @Test func aSceneShowsWhatIsAskedAndAnswered() throws {
    let demo = try DemoFile(Array(Self.text.utf8), file: "x.demo.json")
    let report = DemoReport(
      number: 1, scene: demo.scenes[0], answer: answer, shown: demo.shown, terminal: Terminal())
    #expect(
      report.lines == [
        "1. One", "    \"a longer text\"", "    - likely scam", "    - It asks for a gift.",
      ])
    #expect(report.surprises.isEmpty)
  }

  @Test func whatIsNotAsExpectedIsSaid() throws {
    let demo = try DemoFile(Array(Self.text.utf8), file: "x.demo.json")
    let report = DemoReport(
      number: 1, scene: demo.scenes[0], answer: ["label": "SUSPICIOUS"], shown: demo.shown,
      terminal: Terminal())
    #expect(
      report.surprises == [
        "label is suspicious, expected likely scam",
        "reasons.0.signal is not there, expected gift",
      ])
  }

  @Test(arguments: [
    ("{", "it is not JSON"), ("{}", "'about' is missing"),
    (#"{"about": "a", "method": "m", "scenes": []}"#, "'scenes' is empty"),
    (#"{"about": "a", "method": "m", "scenes": [{"title": "t"}]}"#, "scene 1 has no 'request'"),
  ])
  func aWrongFileIsRefusedByName(text: String, part: String) {
    let failure = #expect(throws: CommandFailure.self) {
      try DemoFile(Array(text.utf8), file: "x.demo.json")
    }
    #expect(failure?.message.hasPrefix("x.demo.json: ") == true)
    #expect(failure?.message.contains(part) == true)
  }
}
