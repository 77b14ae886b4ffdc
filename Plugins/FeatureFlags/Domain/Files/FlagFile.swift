public import KithJSON

/// A file of flags, read: definitions in Kith's own form, and what could not be read.
public struct FlagFile: Sendable, Equatable {
  /// Who writes files of flags.
  public enum Form: Sendable, Hashable {
    /// Kith's own.
    case kith
    /// What an Unleash server gives its clients.
    case unleash
    /// A file of flagd.
    case flagd
  }

  /// The definitions of flags by key.
  public var flags = JSONObject()
  /// The definitions of segments by name.
  public var segments = JSONObject()
  /// What could not be read, by the key of its flag.
  public var problems: [FlagProblem] = []

  /// No flags.
  public init() {}

  /// Reads a file.
  /// - Throws: if it is of another form. What is wrong with single flags is among ``problems``.
  public init(_ value: JSONValue, form: Form) throws(FlagProblem) {
    self.init()
    switch form {
    case .kith:
      let fields = try FlagFields(value, at: "", known: ["flags", "segments"])
      guard let flags = fields["flags"]?.objectValue else {
        throw FlagProblem("flags", "expected an object of flags by key")
      }
      self.flags = flags
      if let segments = fields["segments"] {
        guard let segments = segments.objectValue else {
          throw FlagProblem("segments", "expected an object of segments by name")
        }
        self.segments = segments
      }
    case .unleash: try read(unleash: value)
    case .flagd: try read(flagd: value)
    }
  }

  /// The file in Kith's own form.
  public var value: JSONValue {
    ["segments": .object(segments), "flags": .object(flags)]
  }
}
