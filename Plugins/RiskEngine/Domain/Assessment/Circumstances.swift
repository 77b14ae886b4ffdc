/// What is known beside a text.
public struct Circumstances: Sendable, Hashable {
  /// Whether the sender is in the person's contacts.
  public var senderIsContact: Bool
  /// The person's language, the first part of the BCP 47 tag, lower case.
  public var language: String
  /// Who sent it; nil when it is not known.
  public var sender: SenderAddress?
  /// What time it may be where the person is; empty when it is not known, several where a state has
  /// several zones.
  public var localTimes: [LocalTime]
  /// Numbers that the product suspects, as digits with the country code.
  public var suspectedNumbers: Set<String>

  /// Circumstances; by default nothing is known.
  public init(
    senderIsContact: Bool = false, language: String = "en", sender: SenderAddress? = nil,
    localTimes: [LocalTime] = [], suspectedNumbers: Set<String> = []
  ) {
    self.senderIsContact = senderIsContact
    self.language = language
    self.sender = sender
    self.localTimes = localTimes
    self.suspectedNumbers = suspectedNumbers
  }

  /// The part of the day; nil when it is not known, or may be one or another.
  public var partOfDay: LocalTime.PartOfDay? {
    guard let first = localTimes.first?.partOfDay,
      localTimes.allSatisfy({ $0.partOfDay == first })
    else { return nil }
    return first
  }
}
