import KithAccess
import KithStore
import KithTime
import RemindersContract

/// Reads the reminders of a user a page at a time: first those that are due again, by when, then
/// the others.
struct ReminderPages {
  let user: UserID
  let start: Page?
  let size: Int
  let request: ListRemindersRequest
  let grant: Access.Grant
  /// Where the next page begins; nil behind the last.
  private(set) var next: Page?

  init(
    user: UserID, start: Page?, size: Int, request: ListRemindersRequest, grant: Access.Grant
  ) {
    self.user = user
    self.start = start
    self.size = size
    self.request = request
    self.grant = grant
  }

  mutating func rows(_ transaction: some Transaction) throws -> [StoredReminder] {
    let wanted = request.textContains.lowercased()
    var (rows, place): ([StoredReminder], Page?) = ([], start)
    while true {
      // Texts are sealed: which of them have a word is known only when they are open.
      let some = try read(behind: place, limit: size + 1, transaction)
      for row in some
      where wanted.isEmpty || row.text.isDamaged
        || row.text.intact?.lowercased().contains(wanted) == true
      {
        if rows.count == size {
          next = rows.last.map { Page(due: $0.nextDue, id: $0.id) }
          return rows
        }
        rows.append(row)
      }
      guard some.count == size + 1, let last = some.last else { return rows }
      place = Page(due: last.nextDue, id: last.id)
    }
  }

  private func read(
    behind place: Page?, limit: Int, _ transaction: some Transaction
  ) throws -> [StoredReminder] {
    var filter: SQLText = "user_id = \(user)"
    if request.state != .unspecified {
      guard let state = StoredReminder.State(request.state) else { return [] }
      filter += " AND state = \(state)"
    }
    if request.kind != .unspecified {
      filter += " AND is_medicine = \(request.kind == .medicine)"
    }
    var rows: [StoredReminder] = []
    if place == nil || place?.due != nil {
      let after = place.flatMap { place in
        place.due.map { [StoreValue.integer($0.contract), .text(place.id)] }
      }
      rows = try transaction.page(
        of: StoredReminder.self, where: filter && "next_due_ms IS NOT NULL",
        by: ["next_due_ms", "id"], after: after, limit: limit, under: grant
      ).records
    }
    guard rows.count < limit else { return rows }
    let after = place.flatMap { $0.due == nil ? [StoreValue.text($0.id)] : nil }
    return try rows
      + transaction.page(
        of: StoredReminder.self, where: filter && "next_due_ms IS NULL", by: ["id"],
        after: after, limit: limit - rows.count, under: grant
      ).records
  }
}
