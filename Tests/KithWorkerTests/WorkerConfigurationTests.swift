import KithJSON
import KithWorker
import Testing

@Suite struct WorkerConfigurationTests {
  private let configuration = WorkerConfiguration([
    "text": "a", "texts": ["a", "b"], "mixed": ["a", 1], "count": 3, "score": 0.5, "whole": 1,
    "on": true, "wait": "1.5s", "long": "90s", "size": 1024, "bad": "1.s", "minus": "-1s",
  ])

  @Test func readsEachType() throws {
    #expect(try configuration.string("text") == "a")
    #expect(try configuration.strings("texts") == ["a", "b"])
    #expect(try configuration.integer("count") == 3)
    #expect(try configuration.double("score") == 0.5)
    #expect(try configuration.double("whole") == 1)
    #expect(try configuration.bool("on"))
    #expect(try configuration.duration("wait") == .milliseconds(1_500))
    #expect(try configuration.duration("long") == .seconds(90))
    #expect(try configuration.bytes("size") == 1024)
    #expect(configuration.json["count"] == 3)
  }

  @Test func namesTheKeyAndWhatToDo() {
    func reason(_ body: () throws -> Void) -> String {
      do {
        try body()
        return ""
      } catch {
        return "\(error)"
      }
    }
    let absent = reason { _ = try configuration.double("scroe") }
    #expect(absent.contains("'scroe'") && absent.contains("plugin.yaml does not declare"))
    #expect(absent.contains("score"))
    let wrong = reason { _ = try configuration.integer("text") }
    #expect(wrong.contains("'text'") && wrong.contains("a whole number, but it is a text"))
    #expect(wrong.contains("declare the type int"))
    #expect(reason { _ = try configuration.strings("mixed") }.contains("a list of texts"))
    #expect(reason { _ = try configuration.duration("bad") }.contains("seconds"))
    #expect(reason { _ = try configuration.duration("minus") }.contains("seconds"))
    #expect(reason { _ = try configuration.integer("score") }.contains("a whole number"))
    #expect(reason { _ = try configuration.bool("count") }.contains("true or false"))
  }
}
