import FoundationEssentials
import GRDB
public import KithAccess
import KithSealing
public import KithWire

extension WriteTransaction {
  /// How many events are removed at most by one that is appended, and how often it is looked.
  private static let trimmedAtOnce = 1_000
  private static let trimmedEvery: Int64 = 256

  /// Appends an event: consumers are told of it when the transaction is durable, and never when it
  /// is taken back.
  ///
  /// - Parameters:
  ///   - payload: what happened; its message's full name is the event's type.
  ///   - user: whom it is about; the payload is then sealed. nil for what is about nobody, and not
  ///     personal.
  ///   - milliseconds: when it happened, in milliseconds since 1970. Ages are told by this.
  ///   - traceparent: W3C Trace Context of the call that it came from.
  /// - Returns: its number.
  @discardableResult
  public func append(
    _ payload: some GeneratedMessage, about user: UserID?, at milliseconds: Int64,
    traceparent: String = ""
  ) throws -> Int64 {
    let bytes = try payload.encoded()
    let raised = try connection.fetch(
      connection.texts.text(.named("kith_event_head")) {
        """
        UPDATE kith_event_head SET last = last + 1, "end" = "end" + \(bytes.count) WHERE id = 1
        RETURNING last, "end"
        """
      }, [.integer(Int64(bytes.count))])
    guard let head = try raised.next() else {
      throw StoreError(.damaged, "the event log has lost its head")
    }
    let (sequence, end): (Int64, Int64) = (head["last"], head["end"])
    // An UPDATE is carried out when its rows were read to the end.
    while try raised.next() != nil {}
    let isSealed = user != nil
    let content: StoreValue = .bytes(
      isSealed ? try sealing.keys.seal(bytes, at: EventRow.place(sequence)) : bytes)
    try connection.execute(
      connection.texts.text(.named("kith_event")) {
        """
        INSERT INTO kith_event
        (sequence, type, at_ms, user_id, traceparent, payload, payload_sealed, "end")
        VALUES \(Array(repeating: StoreValue.null, count: 8))
        """
      },
      [
        .integer(sequence), .text(type(of: payload).fullName), .integer(milliseconds),
        user.storeValue, .text(traceparent), isSealed ? .null : content,
        isSealed ? content : .null, .integer(end),
      ])
    appended.count += 1
    if sequence.isMultiple(of: Self.trimmedEvery) { try trimEvents(now: milliseconds) }
    return sequence
  }

  /// Removes the oldest events that are no longer kept, some at a time;
  /// ``append(_:about:at:traceparent:)`` does so by itself. For a log to which nothing is added any
  /// more it must be asked for.
  /// - Parameter milliseconds: what time it is, in milliseconds since 1970.
  /// - Returns: how many were removed; call again until there are none.
  @discardableResult
  public func trimEvents(now milliseconds: Int64) throws -> Int {
    let retention = events.retention
    let oldest = milliseconds - retention.age.components.seconds * 1_000
    let heads = try rows("SELECT last, \"end\", removed_end FROM kith_event_head WHERE id = 1")
    guard let head = heads.first else {
      throw StoreError(.damaged, "the event log has lost its head")
    }
    let (last, end): (Int64, Int64) = (try head["last"], try head["end"])
    var removed: (sequence: Int64, end: Int64, count: Int) = (0, try head["removed_end"], 0)
    let rows = try rows(
      """
      SELECT sequence, at_ms, "end" FROM kith_event WHERE sequence < \(last) ORDER BY sequence
      LIMIT \(Self.trimmedAtOnce)
      """)
    for row in rows {
      let (sequence, at): (Int64, Int64) = (try row["sequence"], try row["at_ms"])
      let rowEnd: Int64 = try row["end"]
      guard at < oldest || end - removed.end > retention.bytes else { break }
      removed = (sequence, rowEnd, removed.count + 1)
    }
    guard removed.count > 0 else { return 0 }
    try execute("DELETE FROM kith_event WHERE sequence <= \(removed.sequence)")
    try execute(
      """
      UPDATE kith_event_head SET removed = \(removed.sequence), removed_end = \(removed.end)
      WHERE id = 1
      """)
    return removed.count
  }
}

extension Transaction {
  /// Where the log ends: from here on there is only what is new.
  public func endOfEvents() throws -> EventPosition {
    let rows = try rows("SELECT s.log, h.last FROM kith_store s, kith_event_head h")
    return try rows.first.map { try EventPosition(log: $0["log"], sequence: $0["last"]) }
      ?? EventPosition()
  }

  /// The events behind a position, the oldest first. A page ends before one that is damaged, and
  /// the next tells of the loss.
  /// - Parameters:
  ///   - types: the types that are wanted; all when empty.
  ///   - limit: how many rows are looked at, at most.
  public func events(
    after position: EventPosition, ofTypes types: Set<String> = [], limit: Int = 256
  ) throws -> EventPage {
    let heads = try rows(
      "SELECT s.log, h.last, h.removed FROM kith_store s, kith_event_head h")
    guard let head = heads.first else {
      throw StoreError(.damaged, "the event log has lost its head")
    }
    let (log, last): (String, Int64) = (try head["log"], try head["last"])
    let removed: Int64 = try head["removed"]
    var page = EventPage(events: [], position: EventPosition(log: log, sequence: position.sequence))
    if position == EventPosition() {
      // Who has seen nothing has lost nothing.
      page.position.sequence = removed
    } else if position.log != log {
      page.position.sequence = removed
      page.lost = LostEvents(reason: .otherLog, from: 1, to: removed)
    } else if position.sequence < removed {
      page.position.sequence = removed
      page.lost = LostEvents(reason: .retention, from: position.sequence + 1, to: removed)
    }
    guard page.position.sequence < last else { return page }
    let rows = try connection.fetch(
      connection.texts.text(.named("kith_event after")) {
        """
        SELECT * FROM kith_event WHERE sequence > \(page.position.sequence) ORDER BY sequence
        LIMIT \(limit)
        """
      }, [.integer(page.position.sequence), .integer(Int64(limit))])
    while let row = try rows.next() {
      let sequence: Int64 = row["sequence"]
      if types.isEmpty || types.contains(row["type"]) {
        if let event = EventRow.event(row, sealing) {
          page.events.append(event)
        } else if !page.addDamaged(sequence) {
          break
        }
      }
      page.position.sequence = sequence
    }
    return page
  }
}

private enum EventRow {
  static func place(_ sequence: Int64) -> SealedPlace {
    SealedPlace(table: "kith_event", column: "payload_sealed", row: "\(sequence)")
  }

  /// The event of a row; nil when it is damaged.
  static func event(_ row: Row, _ sealing: StoreSealing) -> LoggedEvent? {
    let sequence: Int64 = row["sequence"]
    var payload = Array((row["payload"] as Data?) ?? Data())
    if let sealed: Data = row["payload_sealed"] {
      guard let opened = sealing.open(Array(sealed), at: place(sequence)) else { return nil }
      payload = opened
    }
    let user: String? = row["user_id"]
    return LoggedEvent(
      sequence: sequence, type: row["type"], atMilliseconds: row["at_ms"],
      user: user.flatMap(UserID.init), traceparent: row["traceparent"], payload: payload)
  }
}
