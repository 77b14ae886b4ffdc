/// What a configuration key holds.
public enum ConfigurationType: Sendable, Hashable, CustomStringConvertible {
  /// A text. `string` in the manifest.
  case string
  /// A list of texts. `strings`.
  case strings
  /// A whole number that 64 bits hold. `int`.
  case int
  /// A number. `double`.
  case double
  /// `true` or `false`. `bool`.
  case bool
  /// A time with its unit: `30s`. The worker gets seconds as proto3 JSON writes them, `"30s"`.
  /// `duration`.
  case duration
  /// An amount of memory with its unit: `256MiB`. The worker gets a whole number of bytes. `bytes`.
  case bytes
  /// One of several words, given as `values`. `enum`.
  case enumeration([String])

  static let names = ["string", "strings", "int", "double", "bool", "duration", "bytes", "enum"]

  /// The name in the manifest.
  public var description: String {
    switch self {
    case .string: "string"
    case .strings: "strings"
    case .int: "int"
    case .double: "double"
    case .bool: "bool"
    case .duration: "duration"
    case .bytes: "bytes"
    case .enumeration: "enum"
    }
  }

  /// Whether a range can be given.
  var hasRange: Bool {
    switch self {
    case .int, .double, .duration, .bytes: true
    case .string, .strings, .bool, .enumeration: false
    }
  }
}
