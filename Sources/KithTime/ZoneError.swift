/// Why there is no such zone.
public struct ZoneError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of reason.
  public enum Kind: Sendable, Hashable {
    /// No IANA name: it is empty or too long, or has characters or steps (`..`) that names do not
    /// have.
    case invalidName
    /// The system's tzdata has no zone of this name.
    case unknownZone
    /// The zone's file cannot be read, or is not as RFC 8536 says.
    case malformed
  }

  /// What kind of reason.
  public let kind: Kind
  /// The zone that was asked for, cut to 80 characters.
  public let name: String
  /// What was wrong and what to do, in a sentence.
  public let description: String

  init(_ kind: Kind, _ name: String, _ reason: String) {
    self.kind = kind
    self.name = String(name.prefix(80))
    description =
      switch kind {
      case .invalidName: "'\(self.name)' is no time zone: \(reason)"
      case .unknownZone: "there is no time zone '\(self.name)': \(reason)"
      case .malformed: "the file of the time zone '\(self.name)' cannot be used: \(reason)"
      }
  }
}
