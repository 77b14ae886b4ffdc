import DeliveryDomain
import KithAccess
import KithJSON
public import KithStore
import KithTime
import KithWire
import RemindersContract

/// Delivers reminders: one message for each that is sent, to each address that the person has
/// registered, in the transaction that notes that the event was taken.
public struct ReminderDeliveries: Projection {
  /// The place in the log of reminders.
  public static let name = "kith.reminders.v1.Reminders"
  /// Those that are sent.
  public static let types = [ReminderSent.fullName]
  /// None: they go into the outbox.
  public static let migrations: [Store.Migration] = []

  /// The service whose events they are.
  public static let service = "kith.reminders.v1.Reminders"

  private let outbox: Outbox
  private let taken: AsyncStream<Void>
  private let takes: AsyncStream<Void>.Continuation

  init(outbox: Outbox) {
    self.outbox = outbox
    (taken, takes) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Takes a reminder.
  public func apply(_ event: LoggedEvent, in transaction: WriteTransaction) throws {
    guard event.type == ReminderSent.fullName, let user = event.user else { return }
    let sent = try ReminderSent(decoding: event.payload)
    let push = sent.push ?? Push()
    let now = outbox.now()
    let expiresAt = Instant(milliseconds: Int(push.expiresAtMs))
    guard now < expiresAt else { return }
    let addresses = try transaction.records(
      StoredAddress.self, where: "user_id = \(user) AND is_wanted = \(true)",
      orderedBy: "registered_at_ms, id", limit: 50, under: Outbox.ownGrant)
    for address in addresses where address.channel != .call {
      // A reminder never rings. One whose address is damaged is left out.
      guard let value = address.value.intact else { continue }
      let draft = MessageDraft(
        dedupeKey: "\(sent.key)/\(address.id)", user: user, channel: address.channel,
        address: value, providerHint: address.provider,
        content: MessageContent(
          title: push.title, body: push.body,
          data: [
            "reminder_id": .string(sent.reminderId), "due_ms": .string("\(sent.dueMs)"),
          ], actions: push.actions),
        collapseID: String(push.collapseId.prefix(64)),
        urgency: push.isTimeSensitive ? .safety : .normal, retries: .byWorker,
        expiresAt: expiresAt, traceparent: event.traceparent)
      let known = try transaction.record(
        StoredMessage.self, id: draft.id, under: Outbox.ownGrant, markingDamage: true)
      if known == nil { _ = try outbox.accept(draft, at: now, in: transaction) }
    }
    takes.yield()
  }

  /// What was lost is told of by nobody: reminders that were sent long ago are not delivered late.
  public func restart(after lost: LostEvents, in transaction: WriteTransaction) {}

  /// Has due work look again behind each transaction that took reminders, until the task is
  /// cancelled.
  public func run() async {
    for await _ in taken {
      // A write waits for those that are before it, the one that took the reminder among them.
      try? await outbox.store.write { _ in }
      outbox.wake()
    }
  }
}
