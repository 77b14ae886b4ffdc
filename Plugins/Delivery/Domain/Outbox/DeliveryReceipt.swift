/// What a provider tells later of a message.
public struct DeliveryReceipt: Sendable, Hashable {
  /// The news.
  public enum News: Sendable, Hashable {
    /// The provider has it.
    case taken
    /// It reached the phone or the mailbox.
    case delivered
    /// It cannot be delivered.
    case failed(AttemptOutcome.Failure)
  }

  /// What the provider calls the message.
  public var providerID: String
  /// The news.
  public var news: News

  /// A receipt.
  public init(providerID: String, _ news: News) {
    self.providerID = providerID
    self.news = news
  }
}
