/// Where personal data stands in a text. It never holds the data.
public struct PersonalDataFinding: Hashable, Sendable {
  /// What it is.
  public var type: PersonalDataType
  /// Its bytes in the UTF-8 of the text.
  public var bytes: Range<Int>
  /// Whether it passed every rule that its type has: a checksum, issued ranges, one kind of
  /// separator. What only looks like it is scrubbed too, and does not stop a transmission.
  public var isConfirmed: Bool

  /// A finding.
  public init(type: PersonalDataType, bytes: Range<Int>, isConfirmed: Bool) {
    self.type = type
    self.bytes = bytes
    self.isConfirmed = isConfirmed
  }
}
