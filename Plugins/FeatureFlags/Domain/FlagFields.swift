import KithJSON
import KithTime

/// Reads the members of an object, with the place of each for errors.
struct FlagFields {
  private let object: JSONObject
  private let place: String

  /// - Parameter known: the names that it may have.
  init(_ value: JSONValue, at place: String, known: Set<String>) throws(FlagProblem) {
    guard let object = value.objectValue else { throw FlagProblem(place, "expected an object") }
    for name in object.names where !known.contains(name) {
      throw FlagProblem(
        Self.join(place, name),
        "there is no such key; expected one of \(known.sorted().joined(separator: ", "))")
    }
    (self.object, self.place) = (object, place)
  }

  static func join(_ place: String, _ name: String) -> String {
    place.isEmpty ? name : "\(place).\(name)"
  }

  func place(_ name: String) -> String { Self.join(place, name) }

  subscript(_ name: String) -> JSONValue? { object[name] }

  func bool(_ name: String) throws(FlagProblem) -> Bool? {
    try read(name, "expected true or false") { $0.boolValue }
  }

  func text(_ name: String) throws(FlagProblem) -> String? {
    try read(name, "expected a text of 1 to 1000 characters") { value in
      value.stringValue.flatMap { (1...1000).contains($0.count) ? $0 : nil }
    }
  }

  func number(_ name: String) throws(FlagProblem) -> Double? {
    try read(name, "expected a number") { $0.doubleValue }
  }

  func whole(_ name: String) throws(FlagProblem) -> Int64? {
    try read(name, "expected a whole number from 0 on") { value in
      value.integerValue.flatMap { $0 >= 0 ? $0 : nil }
    }
  }

  func share(_ name: String) throws(FlagProblem) -> Share? {
    try read(name, "expected a number from 0 to 1, in steps of 0.000001") { value in
      value.doubleValue.flatMap { Share($0) }
    }
  }

  func instant(_ name: String) throws(FlagProblem) -> Instant? {
    try read(name, "expected a time such as 2026-11-21T20:00:00Z") { value in
      value.stringValue.flatMap { Instant($0) }
    }
  }

  func texts(_ name: String, most: Int = 10_000) throws(FlagProblem) -> [String]? {
    try read(name, "expected a list of up to \(most) texts") { value in
      guard let list = value.arrayValue, list.count <= most else { return nil }
      let texts = list.compactMap(\.stringValue)
      return texts.count == list.count ? texts : nil
    }
  }

  func list(_ name: String, most: Int = 100) throws(FlagProblem) -> [JSONValue]? {
    try read(name, "expected a list of up to \(most)") { value in
      value.arrayValue.flatMap { $0.count <= most ? $0 : nil }
    }
  }

  private func read<Value>(
    _ name: String, _ expected: String, _ convert: (JSONValue) -> Value?
  ) throws(FlagProblem) -> Value? {
    guard let value = object[name] else { return nil }
    guard let converted = convert(value) else { throw FlagProblem(place(name), expected) }
    return converted
  }
}
