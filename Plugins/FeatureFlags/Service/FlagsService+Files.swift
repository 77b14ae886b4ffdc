import Crypto
import FeatureFlagsDomain
public import FlagsContract
import KithJSON
public import KithRPC
import KithStore
import KithTime

extension FlagsService {
  private static let longestFile = 4 << 20
  private static let mostFlags = 10_000

  /// Reads a file of flags.
  public func importFlags(
    _ request: ImportFlagsRequest, context: CallContext
  ) async throws -> ImportFlagsResponse {
    if let key = settings.signingKey,
      !key.isValidSignature(request.signature, for: request.content)
    {
      throw RPCError(
        .permissionDenied, "the file is not signed with the key of the configuration")
    }
    let imported = try FlagImport(Self.file(request), strict: !request.skipUnreadable)
    if request.dryRun {
      return try await store.read { transaction in
        try imported.plan(in: transaction).response(
          revision: try FlagSnapshot.revision(transaction))
      }
    }
    return try await write(request, context) { ledger in
      let plan = try imported.plan(in: ledger.transaction)
      for segment in plan.segments {
        let known = try ledger.transaction.record(StoredSegment.self, id: segment.id)
        try ledger.save(segment: segment, before: known?.definition, why: request.why)
      }
      for (key, value) in plan.flags {
        let known = try ledger.transaction.record(StoredFlag.self, id: key)
        _ = try ledger.save(
          Self.row(key, value, known, ledger.now), .put, before: known?.definition,
          why: request.why)
      }
      return plan.response(revision: try FlagSnapshot.revision(ledger.transaction))
    }
  }

  /// All flags as a file.
  public func exportFlags(
    _ request: ExportFlagsRequest, context: CallContext
  ) async throws -> ExportFlagsResponse {
    try await store.read { transaction in
      var file = FlagFile()
      for row in try transaction.records(StoredFlag.self, orderedBy: "id") {
        file.flags[row.id] = try Self.reading { () throws(FlagProblem) in try row.value() }
      }
      for row in try transaction.records(StoredSegment.self, orderedBy: "id") {
        file.segments[row.id] = try JSONValue(parsing: row.definition)
      }
      return ExportFlagsResponse(
        content: Array(file.value.text(pretty: true).utf8),
        revision: UInt64(try FlagSnapshot.revision(transaction)))
    }
  }

  private static func file(_ request: ImportFlagsRequest) throws(RPCError) -> FlagFile {
    let form: FlagFile.Form
    switch request.form {
    case .unspecified, .kith: form = .kith
    case .unleash: form = .unleash
    case .flagd: form = .flagd
    default: throw .invalidArgument(field: "form", "expected a form of the contract")
    }
    do {
      let value = try JSONValue(
        parsing: request.content, limits: JSONLimits(maximumBytes: longestFile))
      let file = try FlagFile(value, form: form)
      guard file.flags.count <= mostFlags, file.segments.count <= mostFlags else {
        throw FlagProblem("flags", "expected up to \(mostFlags)")
      }
      return file
    } catch {
      throw .invalidArgument(field: "content", "\(error)")
    }
  }
}
