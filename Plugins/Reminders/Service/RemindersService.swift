import KithAccess
import KithAccessStore
public import KithRPC
public import KithStore
public import KithTime
public import RemindersContract
import RemindersDomain
import Synchronization

/// Reminders behind their contract: checks requests, asks the domain what happens, and writes it
/// down.
///
/// Each call that changes something is one transaction: the reminder, its history, the events and
/// the answer by which a repeat of the call is answered. No error or log repeats what a person
/// wrote.
public final class RemindersService: RemindersHandler {
  let store: Store
  let now: @Sendable () -> Instant
  /// To be called when what is due next may be another.
  let changed: @Sendable () -> Void
  private let zones: Zones
  private let settings: Mutex<RemindersSettings>

  /// A service over a store with the tables of ``RemindersSchema``.
  /// - Parameters:
  ///   - now: what the wall clock shows.
  ///   - changed: is called when what is due next may be another than ``due`` said.
  public init(
    store: Store, zones: Zones = Zones(), settings: RemindersSettings,
    now: @escaping @Sendable () -> Instant, changed: @escaping @Sendable () -> Void = {}
  ) throws(RPCError) {
    self.settings = Mutex(try settings.checked(in: zones))
    self.store = store
    self.zones = zones
    self.now = now
    self.changed = changed
  }

  /// What the worker serves.
  public var definition: ServiceDefinition { .reminders(self).keepingAnswers(in: store) }

  /// What is to be done of itself when its time comes.
  /// - Parameter trouble: is told of a reminder that cannot be read, by its id.
  public func due(
    trouble: @escaping @Sendable (_ reminder: String, _ error: any Error) -> Void
  ) -> DueReminders {
    DueReminders(store: store, book: { self.book }, trouble: trouble)
  }

  /// Goes by these settings from now on.
  public func use(_ settings: RemindersSettings) throws(RPCError) {
    let settings = try settings.checked(in: zones)
    self.settings.withLock { $0 = settings }
    changed()
  }

  var book: ReminderBook {
    ReminderBook(
      zones: zones, settings: settings.withLock(\.self), allowance: Allowance.current)
  }

  // MARK: - Whose

  /// Whom a request is about: whom it names, else the caller; the person of the configuration where
  /// that is the product.
  func subject(_ name: String, _ context: CallContext) throws(RPCError) -> UserID {
    guard name.isEmpty else {
      guard let user = UserID(name) else { throw .noUserID(field: "user_id") }
      return user
    }
    switch context.caller {
    case .user(let user): return user
    case .product: return book.settings.person
    case .worker(let name):
      throw RPCError(
        .permissionDenied, "\(name) calls in its own name: name a person in 'kith-user'")
    case .stranger: throw RPCError(.permissionDenied, "the caller has not shown who it is")
    }
  }

  /// Asks for an action on somebody's reminders.
  func allow(
    _ action: Access.Action, on user: UserID, _ context: CallContext,
    _ transaction: some Transaction
  ) throws -> Access.Grant {
    do {
      return try transaction.access(of: context.caller).grant(action, on: user)
    } catch let denial as Access.Denial {
      throw RPCError(denial)
    }
  }

  /// The reminder of an id, if the caller may do this to it. Who reads it must find it whole; to
  /// change it may mend it.
  func row(
    _ id: String, field: String = "id", for action: Access.Action, _ context: CallContext,
    _ transaction: some Transaction
  ) throws -> StoredReminder {
    guard !id.isEmpty else { throw RPCError.invalidArgument(field: field, "it is empty") }
    let visible = try transaction.access(of: context.caller).grantAll(.read)
    let found = try transaction.record(
      StoredReminder.self, id: id, under: visible, markingDamage: action != .read)
    guard let row = found else {
      throw RPCError(.notFound, "there is no such reminder, or it is not one of the caller's")
    }
    _ = try allow(action, on: row.user, context, transaction)
    return row
  }

  // MARK: - Wording

  /// A row as the contract has it, marked where its words are damaged.
  func message(
    _ row: StoredReminder, _ book: ReminderBook, _ transaction: some Transaction
  ) throws -> Reminder {
    let open = try row.progress.open.flatMap { open in
      try transaction.record(
        StoredOccurrence.self, id: StoredOccurrence.id(row.id, open.due),
        under: ReminderBook.ownGrant)
    }
    return Reminder(
      id: row.id, userId: row.user.text, text: row.text.intact ?? "",
      schedule: row.schedule.message,
      kind: row.isMedicine ? .medicine : .ordinary, state: row.state.message,
      nextDueMs: row.nextDue?.contract, tzdataVersion: book.zones.edition, open: open?.message,
      createdAtMs: row.createdAt.contract,
      ladder: row.ladder?.message ?? book.settings.ladder.message,
      notes: row.notes?.intact ?? "", isDamaged: row.isDamaged)
  }

  // MARK: - Reading and removing

  /// One reminder.
  public func getReminder(
    _ request: GetReminderRequest, context: CallContext
  ) async throws -> Reminder {
    let book = book
    return try await store.read { transaction in
      let row = try self.row(request.id, for: .read, context, transaction)
      return try self.message(row, book, transaction)
    }
  }

  /// The reminders of a user, a page at a time.
  public func listReminders(
    _ request: ListRemindersRequest, context: CallContext
  ) async throws -> ListRemindersResponse {
    let user = try subject(request.userId, context)
    let size = try Page.size(request.pageSize)
    let start = try Page(token: request.pageToken)
    let book = book
    return try await store.read { transaction in
      let grant = try self.allow(.read, on: user, context, transaction)
      var page = ReminderPages(
        user: user, start: start, size: size, request: request, grant: grant)
      let rows = try page.rows(transaction)
      return ListRemindersResponse(
        reminders: try rows.map { try self.message($0, book, transaction) },
        nextPageToken: page.next?.token ?? "",
        activeCount: UInt32(clamping: try Self.activeCount(of: user, transaction)),
        damagedCount: UInt32(clamping: rows.count(where: \.isDamaged)))
    }
  }

  /// How many of somebody's reminders are active.
  static func activeCount(of user: UserID, _ transaction: some Transaction) throws -> Int {
    try transaction.count(
      of: StoredReminder.self,
      where: "user_id = \(user) AND state = \(literal: StoredReminder.State.active)",
      under: ReminderBook.ownGrant)
  }

  /// Deletes a reminder and its history.
  public func deleteReminder(
    _ request: DeleteReminderRequest, context: CallContext
  ) async throws -> DeleteReminderResponse {
    try await store.write { transaction in
      let row: StoredReminder
      do {
        row = try self.row(request.id, for: .change, context, transaction)
      } catch let error as RPCError where error.code == .notFound {
        return
      }
      try transaction.delete(StoredReminder.self, id: row.id, under: ReminderBook.ownGrant)
      try transaction.deleteAll(
        StoredOccurrence.self, where: "reminder_id = \(row.id)", under: ReminderBook.ownGrant)
    }
    changed()
    return DeleteReminderResponse()
  }
}
