import KithAccess
public import KithRPC
import KithStore
import KithTime
public import LockContract
import UsageLockDomain

extension UsageLockService {
  private static let mostUses = 1_000
  /// How far back a use may lie, and how long it may be.
  private static let oldest: Int64 = 2 * 86_400_000
  /// By how much a report may be late and still be taken by the device's own clock: one that is
  /// sent again covers the same time as before.
  private static let patience: Int64 = 10_000

  // MARK: - Use

  /// Takes what a device saw.
  public func reportUse(
    _ request: ReportUseRequest, context: CallContext
  ) async throws -> Status {
    try Check.text(request.deviceId, "device_id", bytes: 1...64)
    try Self.check(request)
    let step = book.settings.longestStep
    return try await change(request.userId, request, context) { ledger, person in
      let now = ledger.clock.now
      let behind = try Self.behind(request, person, ledger)
      for use in request.uses {
        let whole = use.lengthMs
        let length =
          use.measure == .counted ? whole : min(whole, step.milliseconds)
        let end = min(Instant(milliseconds: Int(use.startMs + whole + behind)), now)
        person.state.note(
          UseLedger.Interval(start: end - .milliseconds(length), end: end), of: use.appId)
      }
      var shown = person
      _ = shown.state.advance(to: now, isTrusted: ledger.clock.isTrusted, zone: ledger.book.zone)
      return try Self.status(of: shown, ledger.clock, ledger.transaction)
    }
  }

  private static func check(_ request: ReportUseRequest) throws(RPCError) {
    let times: ClosedRange<Int64> = 0...(1 << 53)
    try Check.range(request.sentMs, "sent_ms", times, "0 to 2^53")
    guard request.uses.count <= mostUses else {
      throw .invalidArgument(field: "uses", "expected at most \(mostUses)")
    }
    for (index, use) in request.uses.enumerated() {
      let field = "uses[\(index)]"
      try Check.text(use.appId, "\(field).app_id", bytes: 1...200)
      try Check.range(use.lengthMs, "\(field).length_ms", 0...oldest, "0 to two days")
      try Check.range(
        use.startMs, "\(field).start_ms", max(0, request.sentMs - oldest)...request.sentMs,
        "a time of the two days before sent_ms")
      guard use.startMs + use.lengthMs <= request.sentMs else {
        throw .invalidArgument(field: "\(field).length_ms", "the use ends after sent_ms")
      }
      guard [.unspecified, .sampled, .counted].contains(use.measure) else {
        throw .invalidArgument(field: "\(field).measure", "expected SAMPLED or COUNTED")
      }
    }
  }

  /// What is to be added to the device's clock for a trusted time.
  private static func behind(
    _ request: ReportUseRequest, _ person: StoredPerson, _ ledger: LockLedger
  ) throws -> Int64 {
    var device = try device(request.deviceId, person, ledger)
    let now = ledger.clock.now.contract
    let fresh = now - request.sentMs
    if let known = device.behind {
      let late = fresh - known
      if (0...patience).contains(late) { return known }
    }
    device.behind = fresh
    try ledger.transaction.save(device, under: LockBook.ownGrant)
    return fresh
  }

  private static func device(
    _ name: String, _ person: StoredPerson, _ ledger: LockLedger
  ) throws -> StoredDevice {
    let id = StoredDevice.id(person.user, name)
    if let known = try ledger.transaction.record(
      StoredDevice.self, id: id, under: LockBook.ownGrant)
    {
      return known
    }
    let count = try ledger.transaction.count(
      of: StoredDevice.self, where: "user_id = \(person.user)", under: LockBook.ownGrant)
    guard count < StoredDevice.most else {
      throw RPCError(
        .resourceExhausted, "\(StoredDevice.most) devices are known, as many as there may be")
    }
    return StoredDevice(user: person.user, device: name)
  }

  // MARK: - Windows and choices

  /// Opens the window of this hour.
  public func unlock(_ request: UnlockRequest, context: CallContext) async throws -> Status {
    try await change(request.userId, request, context) { ledger, person in
      let clock = ledger.clock
      let until = try person.state.unlock(at: clock.now, isTrusted: clock.isTrusted)
      try ledger.tell(WindowOpened(untilMs: until.contract, mode: .hourlyRation), person)
      try ledger.note(.unlocked, "until \(until)", person)
      return try Self.status(of: person, clock, ledger.transaction)
    }
  }

  /// A choice on the screen that blocks an app.
  public func choose(_ request: ChooseRequest, context: CallContext) async throws -> Status {
    try Check.text(request.appId, "app_id", bytes: 0...200)
    guard [.remindLater, .extraTime, .closeApp].contains(request.choice) else {
      throw RPCError.invalidArgument(
        field: "choice", "expected REMIND_LATER, EXTRA_TIME or CLOSE_APP")
    }
    return try await change(request.userId, request, context) { ledger, person in
      switch request.choice {
      case .remindLater:
        person.remindAt = ledger.clock.now + .seconds(300)
        person.remindApp = request.appId
        try ledger.note(.remindLater, request.appId, person)
      case .extraTime:
        try person.state.takeExtra()
        let left = person.state.profile.extrasPerDay - person.state.extrasTaken
        try ledger.tell(
          ExtraTimeTaken(
            lengthMs: person.state.profile.extra.milliseconds, extrasLeft: UInt32(clamping: left)),
          person)
        try ledger.note(.extraTime, "\(left) more today", person)
      default: try ledger.note(.appClosed, request.appId, person)
      }
      return try Self.status(of: person, ledger.clock, ledger.transaction)
    }
  }

  // MARK: - Protection

  /// Says which permissions a device lacks.
  public func reportProtection(
    _ request: ReportProtectionRequest, context: CallContext
  ) async throws -> Status {
    try Check.text(request.deviceId, "device_id", bytes: 1...64)
    guard request.missing.count <= 10 else {
      throw RPCError.invalidArgument(field: "missing", "expected at most 10")
    }
    for (index, name) in request.missing.enumerated() {
      guard (1...50).contains(name.utf8.count),
        name.utf8.allSatisfy({ (0x61...0x7A).contains($0) || $0 == 0x2D })
      else {
        throw RPCError.invalidArgument(
          field: "missing[\(index)]", "expected 1 to 50 lower-case letters and dashes")
      }
    }
    return try await change(request.userId, request, context) { ledger, person in
      var device = try Self.device(request.deviceId, person, ledger)
      device.missing = Set(request.missing).sorted().joined(separator: " ")
      try ledger.transaction.save(device, under: LockBook.ownGrant)
      let missing = try Self.missing(of: person, ledger.transaction)
      let since = person.protectionOff
      person.protectionOff = missing.isEmpty ? nil : since ?? ledger.clock.now
      if missing.isEmpty != (since == nil) {
        let offSince = since ?? ledger.clock.now
        try ledger.tell(
          ProtectionChanged(
            isOn: missing.isEmpty, offSinceMs: offSince.contract, missingPermissions: missing),
          person)
        try ledger.note(
          missing.isEmpty ? .protectionOn : .protectionOff,
          missing.isEmpty ? "off since \(offSince)" : missing.joined(separator: ", "), person)
      }
      return try Self.status(of: person, ledger.clock, ledger.transaction)
    }
  }
}
