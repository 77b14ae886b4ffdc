public import KithJSON

/// The configuration of a worker: a value for each key of its plugin's schema, which the host has
/// checked already.
///
/// The functions below throw only when a worker asks for a key or type that its `plugin.yaml` does
/// not have: a mistake of the author, and named as such.
public struct WorkerConfiguration: Sendable, Equatable {
  /// All of it.
  public let object: JSONObject

  /// A configuration with these values; tests make their own.
  public init(_ object: JSONObject = [:]) {
    self.object = object
  }

  /// All of it as one value, for settings that read themselves from JSON.
  public var json: JSONValue { .object(object) }

  /// The value of a key of type `string` or `enum`.
  public func string(_ key: String) throws(ConfigurationError) -> String {
    try value(key, "string", "a text") { $0.stringValue }
  }

  /// The value of a key of type `strings`.
  public func strings(_ key: String) throws(ConfigurationError) -> [String] {
    try value(key, "strings", "a list of texts") { value in
      guard let values = value.arrayValue else { return nil }
      let texts = values.compactMap(\.stringValue)
      return texts.count == values.count ? texts : nil
    }
  }

  /// The value of a key of type `int`.
  public func integer(_ key: String) throws(ConfigurationError) -> Int {
    try value(key, "int", "a whole number") { $0.integerValue.flatMap(Int.init(exactly:)) }
  }

  /// The value of a key of type `double`.
  public func double(_ key: String) throws(ConfigurationError) -> Double {
    try value(key, "double", "a number") { $0.doubleValue }
  }

  /// The value of a key of type `bool`.
  public func bool(_ key: String) throws(ConfigurationError) -> Bool {
    try value(key, "bool", "true or false") { $0.boolValue }
  }

  /// The value of a key of type `duration`, which arrives as seconds: `"1.5s"`.
  public func duration(_ key: String) throws(ConfigurationError) -> Duration {
    try value(key, "duration", "seconds like \"1.5s\"") { $0.stringValue.flatMap(Self.seconds) }
  }

  /// The value of a key of type `bytes`, as a number of bytes.
  public func bytes(_ key: String) throws(ConfigurationError) -> Int {
    try value(key, "bytes", "a whole number of bytes") {
      $0.unsignedValue.flatMap(Int.init(exactly:))
    }
  }

  private func value<Value>(
    _ key: String, _ type: String, _ expected: String, _ read: (JSONValue) -> Value?
  ) throws(ConfigurationError) -> Value {
    guard let value = object[key] else {
      let names = object.names.joined(separator: ", ")
      throw ConfigurationError(
        key: key,
        description: "the worker reads a key that its plugin.yaml does not declare; add it under "
          + "'config' with the type \(type)" + (names.isEmpty ? "" : " (declared are: \(names))"))
    }
    guard let result = read(value) else {
      throw ConfigurationError(
        key: key,
        description: "the worker reads it as \(expected), but it is \(value.kindDescription); "
          + "declare the type \(type) in plugin.yaml")
    }
    return result
  }

  /// `1.5s` as proto3 JSON writes it: seconds, at most nine decimals.
  private static func seconds(_ text: String) -> Duration? {
    guard text.hasSuffix("s") else { return nil }
    let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let seconds = Int64(parts[0]), seconds >= 0,
      parts[0].utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    guard parts.count == 2 else { return .seconds(seconds) }
    guard (1...9).contains(parts[1].utf8.count), let digits = Int64(parts[1]),
      parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    var nanoseconds = digits
    for _ in parts[1].utf8.count..<9 { nanoseconds *= 10 }
    return .seconds(seconds) + .nanoseconds(nanoseconds)
  }
}

/// A configuration that a worker cannot use. Throw it from the closure of ``Worker/run(_:)`` too,
/// for what the schema of `plugin.yaml` cannot express; the host then says so in its status. It
/// never quotes a value.
public struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The key.
  public var key: String
  /// What is wrong with it and what was expected.
  public var reason: String

  /// An error about one key.
  public init(key: String, description reason: String) {
    self.key = key
    self.reason = reason
  }

  /// `configuration key 'label_high': ...`
  public var description: String { "configuration key '\(key)': \(reason)" }
}
