public import AlertsContract
import FamilyAlertsDomain
import KithAccess
public import KithRPC
import KithStore
import KithTime

extension FamilyAlertsService: AlertsHandler {
  /// The most bytes of what happened, or of a note.
  private static let mostWords = 500
  private static let mostKey = 128

  // MARK: - Raising and reading

  /// Opens an incident, or answers the one that has the same dedupe key.
  public func raiseIncident(
    _ request: RaiseIncidentRequest, context: CallContext
  ) async throws -> Incident {
    let user = try subject(request.userId, context)
    let draft = try draft(request, of: user)
    let book = book
    let answer = try await store.write { transaction in
      try self.allow(.change, on: user, context, transaction)
      let ledger = self.ledger(transaction, book, traceparent: context.traceparent)
      return Incident(try ledger.open(draft), time: self.time)
    }
    changed()
    return answer
  }

  private func draft(
    _ request: RaiseIncidentRequest, of user: UserID
  ) throws(RPCError) -> IncidentDraft {
    guard (1...Self.mostKey).contains(request.dedupeKey.utf8.count) else {
      throw .invalidArgument(field: "dedupe_key", "expected 1 to \(Self.mostKey) bytes")
    }
    guard let kind = AlertKind(request.kind) else {
      throw .invalidArgument(field: "kind", "expected FALL, MISSED_REMINDER or SCAM_SHARED")
    }
    try Self.check(words: request.summary, field: "summary")
    if let battery = request.battery, !(0...1).contains(battery) {
      throw .invalidArgument(field: "battery", "expected 0 to 1")
    }
    var place: AlertPlace?
    if let named = request.place {
      place = AlertPlace(latitude: named.latitude, longitude: named.longitude)
      guard place != nil else {
        throw .invalidArgument(
          field: "place", "expected a latitude of -90 to 90 and a longitude of -180 to 180")
      }
    }
    return IncidentDraft(
      user: user, dedupeKey: request.dedupeKey, kind: kind,
      at: request.atMs.map { Instant(milliseconds: Int($0)) } ?? time.onTheWall,
      summary: request.summary, battery: request.battery, place: place)
  }

  private static func check(words: String, field: String) throws(RPCError) {
    guard words.utf8.count <= mostWords else {
      throw .invalidArgument(field: field, "expected at most \(mostWords) bytes")
    }
  }

  /// One incident with its steps.
  public func getIncident(
    _ request: GetIncidentRequest, context: CallContext
  ) async throws -> Incident {
    try await store.read { transaction in
      Incident(try self.incident(request.id, context, transaction), time: self.time)
    }
  }

  /// The incidents of a person, the latest first.
  public func listIncidents(
    _ request: ListIncidentsRequest, context: CallContext
  ) async throws -> ListIncidentsResponse {
    let user = try subject(request.userId, context)
    let size = try Page.size(request.pageSize)
    let place = try Page(token: request.pageToken)
    return try await store.read { transaction in
      let grant = try self.allow(.read, on: user, context, transaction)
      var condition: SQLText = "user_id = \(user)"
      if request.state != .unspecified {
        guard let state = Escalation.State(request.state) else { return ListIncidentsResponse() }
        condition += " AND state = \(state)"
      }
      let page = try transaction.page(
        of: StoredIncident.self, where: condition, by: ["opened_at_ms", "id"], descending: true,
        after: place?.values, limit: size, under: grant)
      return ListIncidentsResponse(
        incidents: page.records.map { Incident($0, time: self.time) },
        nextPageToken: page.next == nil
          ? "" : page.records.last.map { Page(openedAt: $0.openedAt, id: $0.id).token } ?? "")
    }
  }

  // MARK: - Answers

  /// A contact says that they look after it.
  public func acknowledge(
    _ request: AcknowledgeRequest, context: CallContext
  ) async throws -> AcknowledgeResponse {
    let book = book
    let answer = try await store.write { transaction in
      let ledger = self.ledger(transaction, book, traceparent: context.traceparent)
      return request.token.isEmpty
        ? try self.acknowledge(byCallerOf: context, request.incidentId, ledger)
        : try self.acknowledge(token: request.token, ledger)
    }
    changed()
    return answer
  }

  private func acknowledge(
    byCallerOf context: CallContext, _ id: String, _ ledger: IncidentLedger
  ) throws -> AcknowledgeResponse {
    var row = try incident(id, field: "incident_id", context, ledger.transaction)
    guard let contact = try callingContact(of: row.user, context, ledger.transaction) else {
      throw RPCError(
        .permissionDenied, "only a contact of the person acknowledges; the caller is none of them")
    }
    let isFirst = try Self.acknowledge(&row, by: contact.id, through: .app, ledger)
    return response(row, isFirst)
  }

  private func acknowledge(token text: String, _ ledger: IncidentLedger) throws
    -> AcknowledgeResponse
  {
    let transaction = ledger.transaction
    let refusal = RPCError(
      .permissionDenied,
      "the link is not valid or has expired: open the one in the newest message")
    guard text.utf8.count < 200, let token = secret.token(text),
      token.expiresAt > ledger.now,
      var row = try IncidentLedger.incident(
        token.incident, in: transaction),
      let contact: StoredContact = try transaction.record(
        id: token.contact, under: AlertsBook.ownGrant, markingDamage: true),
      contact.user == row.user
    else { throw refusal }
    let used: StoredToken? = try transaction.record(id: text, under: AlertsBook.ownGrant)
    let isOpen = row.escalation.state == .escalating || row.escalation.state == .nobodyReached
    if used != nil, isOpen { throw refusal }
    let isFirst = try Self.acknowledge(&row, by: contact.id, through: .link, ledger)
    if isFirst {
      try transaction.deleteAll(
        StoredToken.self, where: "expires_at_ms <= \(ledger.now.milliseconds)",
        under: AlertsBook.ownGrant)
      try transaction.save(
        StoredToken(id: text, user: row.user, expiresAt: token.expiresAt),
        under: AlertsBook.ownGrant)
    }
    return response(row, isFirst)
  }

  /// Notes an acknowledgement with its event; answers whether it was the first.
  static func acknowledge(
    _ row: inout StoredIncident, by contact: String,
    through source: Escalation.Acknowledgement.Source, _ ledger: IncidentLedger
  ) throws -> Bool {
    let isFirst = try ledger.change(&row) { escalation, plan in
      (escalation.acknowledge(by: contact, through: source, at: ledger.now, plan: plan), [])
    }
    if isFirst {
      try ledger.append(
        IncidentAcknowledged(
          incidentId: row.id, dedupeKey: row.dedupeKey, contactId: contact,
          through: AcknowledgementSource(source), atMs: ledger.time.onTheWall.contract), row)
    }
    return isFirst
  }

  private func response(_ row: StoredIncident, _ isFirst: Bool) -> AcknowledgeResponse {
    var incident = Incident(row, time: time)
    incident.steps = []
    return AcknowledgeResponse(incident: incident, isFirst: isFirst)
  }

  /// It is over.
  public func resolveIncident(
    _ request: ResolveIncidentRequest, context: CallContext
  ) async throws -> Incident {
    try Self.check(words: request.note, field: "note")
    let book = book
    let answer = try await store.write { transaction in
      var row = try self.incident(request.id, context, transaction)
      if try self.callingContact(of: row.user, context, transaction) == nil {
        try self.allow(.change, on: row.user, context, transaction)
      }
      let ledger = self.ledger(transaction, book, traceparent: context.traceparent)
      try Self.resolve(&row, note: request.note, ledger)
      return Incident(row, time: self.time)
    }
    changed()
    return answer
  }

  /// Notes that an incident is over, with its event.
  static func resolve(
    _ row: inout StoredIncident, note: String = "", tellsAllClear: Bool = true,
    _ ledger: IncidentLedger
  ) throws {
    if !note.isEmpty, row.escalation.state != .resolved {
      row.note = Sealed(note)
      try ledger.transaction.update(row, columns: ["note"], under: AlertsBook.ownGrant)
    }
    let isNew = try ledger.change(&row) { escalation, plan in
      (escalation.resolve(at: ledger.now, plan: plan, tellsAllClear: tellsAllClear), [])
    }
    guard isNew else { return }
    try ledger.append(
      IncidentResolved(
        incidentId: row.id, allClearCount: UInt32(row.escalation.allClearCount),
        dedupeKey: row.dedupeKey, atMs: Int64(ledger.time.onTheWall.milliseconds)), row)
  }

  // MARK: - The digest

  /// A week of a person for their family.
  public func getFamilyDigest(
    _ request: GetFamilyDigestRequest, context: CallContext
  ) async throws -> FamilyDigest {
    let user = try subject(request.userId, context)
    let zone = book.zone
    var day = FamilyWeek.monday(of: zone.civil(at: time.onTheWall).date).adding(days: -7)
    if !request.day.isEmpty {
      guard let named = CivilDate(request.day) else {
        throw RPCError.invalidArgument(field: "day", "expected a day such as 2026-11-21")
      }
      day = FamilyWeek.monday(of: named)
    }
    return try await store.read { [day] transaction in
      try self.allow(.read, on: user, context, transaction)
      let week = try DayCounts.week(of: user, from: day, in: transaction)
      return FamilyDigest(week, withHTML: request.html)
    }
  }
}

extension FamilyDigest {
  init(_ week: FamilyWeek, withHTML: Bool) {
    let total = week.total
    self.init(
      firstDay: "\(week.firstDay)", text: week.text,
      html: withHTML ? Array(week.html.utf8) : [],
      doneCount: UInt32(clamping: total.done), missedCount: UInt32(clamping: total.missed),
      fallCount: UInt32(clamping: total.falls))
  }
}
