import FeatureFlagsDomain
import FlagsContract
import KithJSON
import KithRPC
import KithStore

/// A file of flags on its way into the store.
struct FlagImport: Sendable {
  /// What an import changes.
  struct Plan: Sendable {
    var flags: [(key: String, value: JSONValue)] = []
    var segments: [StoredSegment] = []
    var unchanged = 0
    var problems: [String]

    func response(revision: Int64) -> ImportFlagsResponse {
      ImportFlagsResponse(
        changed: flags.map(\.key), unchanged: UInt32(unchanged), problems: problems,
        revision: UInt64(revision))
    }
  }

  private static let mostProblemsTold = 20

  private let file: FlagFile
  private let strict: Bool
  private let flags: [FeatureFlagsDomain.Flag]
  private let segments: [String: Segment]
  private let problems: [FlagProblem]

  /// Reads the flags and segments of a file.
  /// - Throws: INVALID_ARGUMENT if one cannot be read, where `strict`.
  init(_ file: FlagFile, strict: Bool) throws(RPCError) {
    var segments: [String: Segment] = [:]
    var flags: [FeatureFlagsDomain.Flag] = []
    var problems = file.problems
    for member in file.segments {
      do throws(FlagProblem) {
        try FlagReader.check(key: member.name)
        segments[member.name] = try FlagReader.segment(member.value)
      } catch {
        problems.append(error.inside("segments.\(member.name)"))
      }
    }
    for member in file.flags {
      do throws(FlagProblem) {
        flags.append(try FlagReader.flag(member.name, member.value))
      } catch {
        problems.append(error.inside(member.name))
      }
    }
    (self.file, self.strict, self.flags, self.segments, self.problems) =
      (file, strict, flags, segments, problems)
    try Self.refuse(problems, strict)
  }

  /// What it changes in a store.
  /// - Throws: INVALID_ARGUMENT if the flags do not fit together, where `strict`;
  ///   FAILED_PRECONDITION if a frozen flag would let in more people.
  func plan(in transaction: some Transaction) throws -> Plan {
    let known = try transaction.records(StoredFlag.self)
    let rows = Dictionary(uniqueKeysWithValues: known.map { ($0.id, $0) })
    let old = known.compactMap { try? $0.flag() }
    var allSegments = try FlagSnapshot.segments(transaction)
    allSegments.merge(segments) { _, new in new }
    var (flags, problems) = (flags, problems)
    // A flag that is left out may be what another one requires: until none is left out.
    while true {
      let set = FlagSet(unchecked: old + flags, segments: allSegments)
      let failed = flags.compactMap { flag in
        Self.problem { () throws(FlagProblem) in try set.check(flag) }.map { (flag.key, $0) }
      }
      if failed.isEmpty { break }
      problems += failed.map(\.1)
      try Self.refuse(failed.map(\.1), strict)
      let keys = Set(failed.map(\.0))
      flags.removeAll { keys.contains($0.key) }
    }
    try FlagsService.checkTogether(old + flags, allSegments)
    var plan = Plan(problems: problems.map(\.description))
    for flag in flags {
      guard let value = file.flags[flag.key] else { continue }
      if rows[flag.key]?.definition == value.text() {
        plan.unchanged += 1
        continue
      }
      try FlagsService.checkGrowth(from: rows[flag.key], to: flag)
      plan.flags.append((flag.key, value))
    }
    for member in file.segments where segments[member.name] != nil {
      let text = member.value.text()
      let row = try transaction.record(StoredSegment.self, id: member.name)
      if row?.definition != text {
        plan.segments.append(StoredSegment(id: member.name, revision: 0, definition: text))
      }
    }
    return plan
  }

  private static func problem(_ body: () throws(FlagProblem) -> Void) -> FlagProblem? {
    do throws(FlagProblem) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  private static func refuse(_ problems: [FlagProblem], _ strict: Bool) throws(RPCError) {
    guard strict, !problems.isEmpty else { return }
    let told = problems.prefix(mostProblemsTold).map(\.description)
    throw .invalidArgument(field: "content", told.joined(separator: "; "))
  }
}
