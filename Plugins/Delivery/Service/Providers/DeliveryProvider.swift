public import DeliveryDomain

/// A service that brings messages to people.
///
/// One that is called by several tasks at once; the outbox bounds how many. It keeps nothing of a
/// message and logs nothing.
public protocol DeliveryProvider: Sendable {
  /// `outbox`, `smtp`, `apns`, `fcm`, `twilio`, `webhook`.
  var name: String { get }

  /// Whether the person sees one message though the provider got this one twice: the outbox then
  /// tries again by itself when the outcome of an attempt is unknown.
  func makesRepeatsOne(_ message: OutboundMessage) -> Bool

  /// Why it would refuse the message whoever it is for, such as its size; nil when it would not.
  /// Called before the message is sent at all.
  func problem(of message: OutboundMessage) -> String?

  /// Makes one attempt. Ends within the attempt's time limit; a cancelled task ends it at once,
  /// with ``AttemptOutcome/unknown(reason:)`` where the message may be on its way.
  func deliver(_ message: OutboundMessage) async -> AttemptOutcome

  /// Removes what it keeps of a message on this machine, whose content is wiped after this.
  func forget(message id: String, of channel: MessageChannel)
}

extension DeliveryProvider {
  /// No.
  public func makesRepeatsOne(_ message: OutboundMessage) -> Bool { false }
  /// None.
  public func problem(of message: OutboundMessage) -> String? { nil }
  /// Nothing is kept.
  public func forget(message id: String, of channel: MessageChannel) {}
}
