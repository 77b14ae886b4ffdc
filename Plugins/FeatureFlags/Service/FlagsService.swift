import FeatureFlagsDomain
public import FlagsContract
import KithAccess
import KithJSON
public import KithRPC
public import KithStore
public import KithTime
import Synchronization

/// Flags behind their contract: reads definitions, keeps them, evaluates them.
///
/// Each change is one transaction with its record and its event. An evaluation goes by all flags as
/// they were at one revision.
public final class FlagsService: FlagsHandler {
  let store: Store
  let now: @Sendable () -> Instant
  private let current: Mutex<FlagSnapshot?> = Mutex(nil)
  private let currentSettings: Mutex<FlagsSettings>

  /// A service over a store with the tables of ``FlagsSchema``.
  /// - Parameter now: what the wall clock shows.
  public init(
    store: Store, settings: FlagsSettings, now: @escaping @Sendable () -> Instant
  ) {
    (self.store, self.now) = (store, now)
    currentSettings = Mutex(settings)
  }

  /// What the worker serves.
  public var definition: ServiceDefinition { .flags(self).keepingAnswers(in: store) }

  /// Goes by these settings from now on.
  public func use(_ settings: FlagsSettings) { currentSettings.withLock { $0 = settings } }

  var settings: FlagsSettings { currentSettings.withLock(\.self) }

  // MARK: - Reading

  /// One flag.
  public func getFlag(
    _ request: GetFlagRequest, context: CallContext
  ) async throws -> FlagsContract.Flag {
    let (now, patience) = (now(), settings.patience)
    return try await store.read { transaction in
      try Self.flag(request.key, transaction).message(at: now, patience: patience)
    }
  }

  /// The flags by key.
  public func listFlags(
    _ request: ListFlagsRequest, context: CallContext
  ) async throws -> ListFlagsResponse {
    let size = try Self.size(request.pageSize)
    let (now, patience) = (now(), settings.patience)
    return try await store.read { transaction in
      var found: [FlagsContract.Flag] = []
      let rows = try transaction.records(
        StoredFlag.self, where: "id > \(request.pageToken)", orderedBy: "id")
      for row in rows {
        let flag = row.message(at: now, patience: patience)
        if request.onlyStale && flag.staleBecause.isEmpty { continue }
        found.append(flag)
        if found.count > size { break }
      }
      let page = Array(found.prefix(size))
      return ListFlagsResponse(
        flags: page, nextPageToken: found.count > size ? page.last?.key ?? "" : "",
        revision: UInt64(try FlagSnapshot.revision(transaction)))
    }
  }

  /// The changes, the newest first.
  public func listChanges(
    _ request: ListChangesRequest, context: CallContext
  ) async throws -> ListChangesResponse {
    let size = try Self.size(request.pageSize)
    let before = request.pageToken.isEmpty ? Int64.max : Int64(request.pageToken)
    guard let before else {
      throw RPCError.invalidArgument(
        field: "page_token", "expected the next_page_token of the page before")
    }
    return try await store.read { transaction in
      var filter: SQLText = "revision < \(before)"
      if !request.key.isEmpty { filter = filter && "subject = \(request.key)" }
      let rows = try transaction.records(
        StoredChange.self, where: filter, orderedBy: "revision DESC", limit: size + 1)
      let page = rows.prefix(size)
      return ListChangesResponse(
        changes: page.map(\.message),
        nextPageToken: rows.count > size ? page.last.map { "\($0.id)" } ?? "" : "")
    }
  }

  // MARK: - Evaluating

  /// What a flag is for somebody.
  public func evaluate(
    _ request: EvaluateRequest, context: CallContext
  ) async throws -> FlagsContract.Evaluation {
    let (subject, snapshot) = (try flagContext(request, context), try await snapshot())
    let evaluation = snapshot.flags.evaluate(request.key, for: subject)
    return try answer(evaluation, request, snapshot)
  }

  /// What a flag is for somebody, and how it came about.
  public func explain(
    _ request: EvaluateRequest, context: CallContext
  ) async throws -> ExplainResponse {
    let (subject, snapshot) = (try flagContext(request, context), try await snapshot())
    let (evaluation, steps) = snapshot.flags.explain(request.key, for: subject)
    return ExplainResponse(
      evaluation: try answer(evaluation, request, snapshot), steps: steps)
  }

  /// All flags as they are now. They are read again only after a change.
  private func snapshot() async throws -> FlagSnapshot {
    let known = current.withLock(\.self)
    let read = try await store.read { transaction -> FlagSnapshot in
      if let known, known.revision == (try FlagSnapshot.revision(transaction)) { return known }
      return try FlagSnapshot(transaction)
    }
    current.withLock { current in
      if (current?.revision ?? -1) < read.revision { current = read }
    }
    return read
  }

  private func flagContext(
    _ request: EvaluateRequest, _ context: CallContext
  ) throws(RPCError) -> FlagContext {
    guard request.attributes.count <= 100, request.targetingKey.utf8.count <= 1000,
      request.attributes.allSatisfy({ $0.name.utf8.count <= 100 && $0.value.utf8.count <= 1000 })
    else {
      throw .invalidArgument(
        field: "attributes", "expected up to 100, with values and a targeting key of 1000 bytes")
    }
    var attributes: [String: String] = [:]
    for attribute in request.attributes
    where attributes.updateValue(attribute.value, forKey: attribute.name) != nil {
      throw .invalidArgument(field: "attributes", "expected each name once")
    }
    var key = request.targetingKey
    switch context.caller {
    case .user(let user):
      guard key.isEmpty || key == user.text else {
        throw RPCError(.permissionDenied, "a person may ask only for themselves")
      }
      key = user.text
    case .product, .worker: break
    case .stranger: throw RPCError(.permissionDenied, "the caller has not shown who it is")
    }
    return FlagContext(targetingKey: key, attributes: attributes, now: now())
  }

  private func answer(
    _ evaluation: FeatureFlagsDomain.Evaluation, _ request: EvaluateRequest,
    _ snapshot: FlagSnapshot
  ) throws(RPCError) -> FlagsContract.Evaluation {
    guard let kind = ValueKind(request.type) else {
      throw .invalidArgument(field: "type", "expected a type of the contract")
    }
    if !request.defaultValue.isEmpty {
      let value = try? JSONValue(parsing: request.defaultValue)
      guard let value, kind.admits(value) else {
        throw .invalidArgument(field: "default_value", "expected JSON of the type asked for")
      }
    }
    let evaluation = evaluation.expecting(kind)
    var answer = FlagsContract.Evaluation(
      key: request.key, value: evaluation.value?.text() ?? request.defaultValue,
      variant: evaluation.value == nil ? "" : evaluation.variant ?? "",
      reason: evaluation.reason.message, error: evaluation.failure?.message ?? .unspecified,
      isOn: evaluation.isOn, rule: evaluation.rule.map { UInt32($0) },
      revision: UInt64(snapshot.revision))
    if evaluation.failure == .flagNotFound, snapshot.unreadable.contains(request.key) {
      answer.error = .parseError
    }
    return answer
  }

  // MARK: - Parts

  /// A flag's row.
  /// - Throws: NOT_FOUND.
  static func flag(_ key: String, _ transaction: some Transaction) throws -> StoredFlag {
    guard let flag = try transaction.record(StoredFlag.self, id: key) else {
      throw RPCError(.notFound, "there is no such flag")
    }
    return flag
  }

  private static func size(_ size: UInt32) throws(RPCError) -> Int {
    if size == 0 { return 50 }
    guard size <= 500 else {
      throw .invalidArgument(field: "page_size", "expected up to 500, or 0 for 50")
    }
    return Int(size)
  }
}

extension ValueKind {
  fileprivate init?(_ type: ValueType) {
    switch type {
    case .unspecified: self = .any
    case .boolean: self = .boolean
    case .string: self = .string
    case .integer: self = .integer
    case .double: self = .double
    case .object: self = .object
    default: return nil
    }
  }
}

extension FeatureFlagsDomain.Evaluation.Reason {
  fileprivate var message: Reason {
    switch self {
    case .static: .static
    case .default: .default
    case .targetingMatch: .targetingMatch
    case .split: .split
    case .disabled: .disabled
    case .error: .error
    }
  }
}

extension FeatureFlagsDomain.Evaluation.Failure {
  fileprivate var message: ErrorCode {
    switch self {
    case .flagNotFound: .flagNotFound
    case .targetingKeyMissing: .targetingKeyMissing
    case .typeMismatch: .typeMismatch
    }
  }
}
