public import AlertsContract
import DeliveryContract
import FamilyAlertsDomain
import FoundationEssentials
import KithAccess
public import KithRPC
import KithStore
import KithTime

extension FamilyAlertsService: ContactsHandler {
  // MARK: - Adding and reading

  /// Adds a contact, or answers the one that has the same addresses.
  public func addContact(
    _ request: AddContactRequest, context: CallContext
  ) async throws -> Contact {
    let user = try subject(request.userId, context)
    let book = book
    let name = try ContactDraft.name(request.name)
    let priority = max(try ContactDraft.priority(request.priority), 1)
    let addresses = try ContactDraft.addresses(
      request.addresses, email: request.email, phone: request.phone)
    let quiet = try ContactDraft.quiet(request.quietRule, in: book)
    let familyUser = request.familyUserId
    guard familyUser.isEmpty || UserID(familyUser) != nil else {
      throw RPCError.noUserID(field: "family_user_id")
    }
    let now = time.onTheWall
    return try await store.write(for: context, request, now: now.seconds) { transaction in
      try self.allow(.change, on: user, context, transaction)
      let fingerprint = ContactDraft.fingerprint(addresses)
      if let known = try Self.contact(of: user, with: fingerprint, transaction) {
        return try self.message(known, transaction)
      }
      let count = try transaction.count(
        of: StoredContact.self, where: "user_id = \(user)", under: AlertsBook.ownGrant)
      guard count < ContactDraft.mostContacts else {
        throw RPCError(
          .resourceExhausted,
          "\(ContactDraft.mostContacts) contacts are there, as many as there may be; remove one")
      }
      // Contacts of one priority are told in the order in which they were added.
      let last: Int? = try transaction.rows(
        "SELECT max(created_at_ms) AS last FROM contact WHERE user_id = \(user)")[0]["last"]
      let createdAt = Instant(milliseconds: max(now.milliseconds, (last ?? 0) + 1))
      let contact = StoredContact(
        id: Self.newID(), user: user, priority: priority, createdAt: createdAt,
        name: Sealed(name),
        quiet: quiet.isEmpty ? nil : Sealed(quiet),
        familyUser: familyUser.isEmpty ? nil : Sealed(familyUser),
        consentedAt: request.hasConsented ? Sealed(now.contract) : nil,
        wishes: StoredContact.wishes(digest: request.wantsDigest),
        addresses: Sealed(fingerprint))
      try transaction.save(contact, under: AlertsBook.ownGrant)
      for (position, address) in addresses.enumerated() {
        try transaction.save(
          Self.row(address, of: contact, position), under: AlertsBook.ownGrant)
      }
      return try self.message(contact, transaction)
    }
  }

  static func newID() -> String { UUID().uuidString.lowercased() }

  private static func contact(
    of user: UserID, with fingerprint: String, _ transaction: some Transaction
  ) throws -> StoredContact? {
    let index = transaction.index(of: fingerprint, in: StoredContact.self, "addresses_index")
    let found: [StoredContact] = try transaction.records(
      where: "user_id = \(user) AND addresses_index = \(StoreValue.bytes(index))", limit: 1,
      under: AlertsBook.ownGrant)
    return found.first
  }

  private static func row(
    _ address: Address, of contact: StoredContact, _ position: Int
  ) throws -> StoredAddress {
    guard let channel = ContactChannel(address.channel) else {
      throw RPCError.invalidArgument(field: "addresses", "expected a channel")
    }
    return StoredAddress(
      id: newID(), user: contact.user, contact: contact.id, position: position,
      channel: channel, value: Sealed(address.value), provider: address.provider)
  }

  /// One contact.
  public func getContact(
    _ request: GetContactRequest, context: CallContext
  ) async throws -> Contact {
    try await store.read { transaction in
      let row = try self.contact(request.id, field: "id", for: .read, context, transaction)
      return try self.message(row, transaction)
    }
  }

  /// The contacts of a person, in the order in which they are told.
  public func listContacts(
    _ request: ListContactsRequest, context: CallContext
  ) async throws -> ListContactsResponse {
    let user = try subject(request.userId, context)
    return try await store.read { transaction in
      try self.allow(.read, on: user, context, transaction)
      let addresses = try AlertsBook.addresses(of: user, in: transaction)
      return ListContactsResponse(
        contacts: try AlertsBook.contacts(of: user, in: transaction).map { contact in
          self.message(contact, addresses[contact.id] ?? [])
        })
    }
  }

  // MARK: - Changing

  /// Changes what is given.
  public func updateContact(
    _ request: UpdateContactRequest, context: CallContext
  ) async throws -> Contact {
    let book = book
    let name = request.name.isEmpty ? nil : try ContactDraft.name(request.name)
    let priority = try ContactDraft.priority(request.priority)
    let addresses =
      request.addresses.isEmpty ? nil : try ContactDraft.addresses(request.addresses)
    let quiet = try ContactDraft.quiet(request.quietRule, in: book)
    let answer = try await store.write { transaction in
      var contact = try self.contact(request.id, field: "id", for: .change, context, transaction)
      if let name { contact.name = Sealed(name) }
      if priority > 0 { contact.priority = priority }
      if request.quietRule != nil { contact.quiet = quiet.isEmpty ? nil : Sealed(quiet) }
      if let hasConsented = request.hasConsented {
        contact.consentedAt =
          hasConsented ? contact.consentedAt ?? Sealed(self.time.onTheWall.contract) : nil
      }
      if let wantsDigest = request.wantsDigest {
        contact.wishes = StoredContact.wishes(digest: wantsDigest)
      }
      if let addresses {
        contact.addresses = Sealed(ContactDraft.fingerprint(addresses))
        let other = try Self.contact(
          of: contact.user, with: ContactDraft.fingerprint(addresses), transaction)
        guard other == nil || other?.id == contact.id else {
          throw RPCError(.alreadyExists, "another contact of the person has these addresses")
        }
      }
      try transaction.save(contact, under: AlertsBook.ownGrant)
      if let addresses {
        try self.replaceAddresses(of: contact, by: addresses, self.ledger(transaction, book))
      }
      return try self.message(contact, transaction)
    }
    changed()
    return answer
  }

  /// Gives a contact other addresses. Those that it has already stay as they are.
  private func replaceAddresses(
    of contact: StoredContact, by addresses: [Address], _ ledger: IncidentLedger
  ) throws {
    let transaction = ledger.transaction
    var known = try Self.addresses(of: contact, transaction)
    for (position, address) in addresses.enumerated() {
      if let index = known.firstIndex(where: { $0.message == address }) {
        var row = known.remove(at: index)
        row.position = position
        try transaction.update(row, columns: ["position"], under: AlertsBook.ownGrant)
      } else {
        try transaction.save(
          Self.row(address, of: contact, position), under: AlertsBook.ownGrant)
      }
    }
    for gone in known {
      try transaction.delete(StoredAddress.self, id: gone.id, under: AlertsBook.ownGrant)
      try Self.drop(contact: contact.id, address: gone.id, of: contact.user, ledger)
    }
  }

  static func addresses(
    of contact: StoredContact, _ transaction: some Transaction
  ) throws -> [StoredAddress] {
    try transaction.records(
      where: "user_id = \(contact.user) AND contact_id = \(contact.id)", orderedBy: "position",
      under: AlertsBook.ownGrant)
  }

  /// Ends what is planned for a contact, or one of its addresses, in all open incidents.
  static func drop(
    contact: String, address: String? = nil, of user: UserID, _ ledger: IncidentLedger
  ) throws {
    let open: [String] = try ledger.transaction.rows(
      "SELECT id FROM incident WHERE user_id = \(user) AND next_due_ms IS NOT NULL"
    ).values(of: "id")
    for id in open {
      guard var row = try IncidentLedger.incident(id, in: ledger.transaction) else { continue }
      try ledger.change(&row) { escalation, plan in
        (
          (),
          escalation.drop(contact: contact, address: address, at: ledger.now, plan: plan)
        )
      }
    }
  }

  /// Removes a contact.
  public func removeContact(
    _ request: RemoveContactRequest, context: CallContext
  ) async throws -> RemoveContactResponse {
    let book = book
    let answer = try await store.write { transaction in
      let contact: StoredContact
      do {
        contact = try self.contact(request.id, field: "id", for: .change, context, transaction)
      } catch let error as RPCError where error.code == .notFound {
        return RemoveContactResponse()
      }
      for address in try Self.addresses(of: contact, transaction) {
        try transaction.delete(StoredAddress.self, id: address.id, under: AlertsBook.ownGrant)
      }
      try transaction.delete(StoredVerification.self, id: contact.id, under: AlertsBook.ownGrant)
      try transaction.delete(StoredContact.self, id: contact.id, under: AlertsBook.ownGrant)
      try Self.drop(
        contact: contact.id, of: contact.user, self.ledger(transaction, book))
      return RemoveContactResponse()
    }
    changed()
    return answer
  }

  // MARK: - Verification

  /// Sends a code to an address of a contact.
  public func sendVerification(
    _ request: SendVerificationRequest, context: CallContext
  ) async throws -> SendVerificationResponse {
    var random = SystemRandomNumberGenerator()
    let code = String("\(1_000_000 + Int.random(in: 0..<1_000_000, using: &random))".dropFirst())
    let now = time.now
    let address = try await store.read { transaction in
      let contact = try self.contact(
        request.contactId, field: "contact_id", for: .change, context, transaction)
      let addresses = try Self.addresses(of: contact, transaction)
      guard addresses.indices.contains(Int(request.addressIndex)) else {
        throw RPCError.invalidArgument(
          field: "address_index", "the contact has \(addresses.count) addresses")
      }
      return addresses[Int(request.addressIndex)]
    }
    guard let target = address.message, !address.hasOptedOut else {
      throw RPCError(
        .failedPrecondition, "the address takes no messages: its owner wants none, or it is damaged"
      )
    }
    let expires = now + StoredVerification.lifetime
    let answer = SendVerificationResponse(expiresAtMs: time.onTheWall(expires).contract)
    _ = try await store.write(for: context, request, now: time.onTheWall.seconds) { transaction in
      try transaction.save(
        StoredVerification(
          contact: address.contact, user: address.user, address: address.id, code: Sealed(code),
          expiresAt: expires), under: AlertsBook.ownGrant)
      return answer
    }
    _ = try await delivery.send(
      SendRequest(
        dedupeKey: "verify/\(Self.newID())", userId: address.user.text, address: target,
        content: Content(
          title: address.channel == .sms ? "" : "Your code",
          body: "Your code is \(code). It shows that you agree to be told in an emergency."),
        priority: .normal, timeToLiveMs: 600_000, retry: .byWorker),
      options: CallOptions(timeout: .seconds(10)))
    return answer
  }

  private enum Judgement: Sendable {
    case right(Contact)
    case wrong(RPCError)
  }

  /// Takes the code that was sent.
  public func verify(_ request: VerifyRequest, context: CallContext) async throws -> Contact {
    let now = time.now
    let judgement = try await store.write { transaction -> Judgement in
      let contact = try self.contact(
        request.contactId, field: "contact_id", for: .change, context, transaction)
      guard
        var sent: StoredVerification = try transaction.record(
          id: contact.id, under: AlertsBook.ownGrant),
        sent.expiresAt > now, sent.wrongCount < StoredVerification.mostWrong
      else {
        return .wrong(
          RPCError(.failedPrecondition, "no code is waited for: ask for one with send-code"))
      }
      guard try sent.code.value == request.code.filter(\.isNumber) else {
        sent.wrongCount += 1
        // What is wrong counts also where the call fails.
        try transaction.save(sent, under: AlertsBook.ownGrant)
        return .wrong(
          RPCError.invalidArgument(field: "code", "it is not the code that was sent"))
      }
      if var address: StoredAddress = try transaction.record(
        id: sent.address, under: AlertsBook.ownGrant, markingDamage: true)
      {
        address.isVerified = true
        try transaction.update(
          address, columns: ["is_verified"], under: AlertsBook.ownGrant)
      }
      return .right(try self.message(contact, transaction))
    }
    switch judgement {
    case .right(let contact): return contact
    case .wrong(let error): throw error
    }
  }

  // MARK: - Wording

  private func message(
    _ contact: StoredContact, _ transaction: some Transaction
  ) throws -> Contact {
    message(contact, try Self.addresses(of: contact, transaction))
  }

  private func message(_ contact: StoredContact, _ addresses: [StoredAddress]) -> Contact {
    let quiet = contact.quiet?.intact?.split(separator: " ").map(String.init)
    return Contact(
      id: contact.id, userId: contact.user.text, name: contact.name.intact ?? "",
      addresses: addresses.map { address in
        ContactAddress(
          address: address.message
            ?? Address(channel: Channel(address.channel), provider: address.provider),
          isVerified: address.isVerified, hasOptedOut: address.hasOptedOut,
          isGone: address.isGone)
      }, priority: UInt32(contact.priority),
      quietRule: quiet.flatMap { parts in
        parts.count == 3 ? QuietRule(from: parts[0], to: parts[1], zone: parts[2]) : nil
      }, familyUserId: contact.familyUser?.intact ?? "",
      consentedAtMs: contact.consentedAt?.intact, wantsDigest: contact.wantsDigest)
  }
}
