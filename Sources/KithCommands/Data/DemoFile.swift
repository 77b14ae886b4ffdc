import KithJSON
import KithReflection
import KithTerminal

/// What a product shows of itself: calls of its workers, and what is expected of the answers. It
/// lies beside the product's manifest as `NAME.demo.json`.
struct DemoFile: Sendable {
  /// A call.
  struct Scene: Sendable {
    /// What it shows.
    let title: String
    /// The method's request, in JSON.
    let request: JSONValue
    /// What is expected of the answer, by the path of a value in its JSON: `level`,
    /// `reasons.0.signal`.
    let expected: [(path: String, value: JSONValue)]
  }

  /// What the demo is about, a sentence.
  let about: String
  /// The method that is called, as `kith call` takes it.
  let method: String
  /// The paths of the values that are shown of each answer.
  let shown: [String]
  /// The calls.
  let scenes: [Scene]

  /// Reads a file's bytes.
  /// - Throws: exit code 65, naming the member that is wrong.
  init(_ bytes: [UInt8], file: String) throws(CommandFailure) {
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONValue(parsing: bytes)
    } catch {
      throw CommandFailure(.badInput, "\(file): it is not JSON: \(error)")
    }
    func text(_ value: JSONValue, _ name: String) throws(CommandFailure) -> String {
      guard let text = value[name]?.stringValue else {
        throw CommandFailure(.badInput, "\(file): '\(name)' is missing, expected a text")
      }
      return text
    }
    about = try text(json, "about")
    method = try text(json, "method")
    shown = (json["show"]?.arrayValue ?? []).compactMap(\.stringValue)
    var scenes: [Scene] = []
    for scene in json["scenes"]?.arrayValue ?? [] {
      guard let request = scene["request"] else {
        throw CommandFailure(
          .badInput, "\(file): scene \(scenes.count + 1) has no 'request', expected an object")
      }
      scenes.append(
        Scene(
          title: try text(scene, "title"), request: request,
          expected: (scene["expect"]?.objectValue?.members ?? []).map { ($0.name, $0.value) }))
    }
    guard !scenes.isEmpty else {
      throw CommandFailure(.badInput, "\(file): 'scenes' is empty, expected a call")
    }
    self.scenes = scenes
  }

  /// The value at a path of an answer: names, and numbers for the elements of a list; `nil` when
  /// there is none.
  static func value(at path: String, in answer: JSONValue) -> JSONValue? {
    path.split(separator: ".").reduce(Optional(answer)) { value, part in
      guard let number = Int(part) else { return value?[String(part)] }
      let list = value?.arrayValue ?? []
      return list.indices.contains(number) ? list[number] : nil
    }
  }
}
