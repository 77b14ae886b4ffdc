public import KithStore
import KithTime
public import UsageLockDomain

/// The columns of a profile: those of the one in effect, and with a prefix those of the one that
/// waits.
enum ProfileColumns {
  static func names(_ prefix: String) -> Set<String> {
    Set(
      [
        "mode", "strictness", "daily_budget_ms", "window_ms", "is_anchored", "zone",
        "start_of_day_s", "sentence", "apps", "extras_per_day", "extra_ms", "typed_penalty_ms",
        "pass_ms", "is_without_pass", "enforcement",
      ].map { prefix + $0 })
  }

  /// The profile of a row; nil where there is none.
  static func read(_ row: RecordReader, _ prefix: String) throws -> LockProfile? {
    guard let mode: LockMode = try row["\(prefix)mode"] else { return nil }
    let sentence = try (row["\(prefix)sentence"] as Sealed<String>).value
    let apps = try (row["\(prefix)apps"] as Sealed<String>).value
    return LockProfile(
      mode: mode, dailyBudget: .milliseconds(try row["\(prefix)daily_budget_ms"] as Int64),
      window: .milliseconds(try row["\(prefix)window_ms"] as Int64),
      isAnchored: try row["\(prefix)is_anchored"], zone: try row["\(prefix)zone"],
      startOfDay: CivilTime(secondOfDay: try row["\(prefix)start_of_day_s"]),
      apps: apps.split(separator: "\n").map { line in
        let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        return LockProfile.App(
          id: parts.count > 1 ? parts[1] : "", name: parts.count > 2 ? parts[2] : "",
          mode: LockMode(rawValue: parts[0]))
      }, sentence: sentence,
      strictness: try row["\(prefix)strictness"],
      extrasPerDay: try row["\(prefix)extras_per_day"],
      extra: .milliseconds(try row["\(prefix)extra_ms"] as Int64),
      typedPenalty: .milliseconds(try row["\(prefix)typed_penalty_ms"] as Int64),
      pass: .milliseconds(try row["\(prefix)pass_ms"] as Int64),
      isWithoutPass: try row["\(prefix)is_without_pass"],
      enforcement: try row["\(prefix)enforcement"])
  }

  static func write(
    _ profile: LockProfile?, to row: inout RecordWriter, _ prefix: String
  ) throws {
    row.set("\(prefix)mode", profile?.mode)
    row.set("\(prefix)strictness", profile?.strictness)
    row.set("\(prefix)daily_budget_ms", profile?.dailyBudget.milliseconds)
    row.set("\(prefix)window_ms", profile?.window.milliseconds)
    row.set("\(prefix)is_anchored", profile?.isAnchored)
    row.set("\(prefix)zone", profile?.zone)
    row.set("\(prefix)start_of_day_s", profile?.startOfDay.secondOfDay)
    try row.set("\(prefix)sentence", profile.map { Sealed($0.sentence) })
    let apps = profile?.apps.map { "\($0.mode?.rawValue ?? "")\t\($0.id)\t\($0.name)" }
    try row.set("\(prefix)apps", apps.map { Sealed($0.joined(separator: "\n")) })
    row.set("\(prefix)extras_per_day", profile?.extrasPerDay)
    row.set("\(prefix)extra_ms", profile?.extra.milliseconds)
    row.set("\(prefix)typed_penalty_ms", profile?.typedPenalty.milliseconds)
    row.set("\(prefix)pass_ms", profile?.pass.milliseconds)
    row.set("\(prefix)is_without_pass", profile?.isWithoutPass)
    row.set("\(prefix)enforcement", profile?.enforcement)
  }
}

extension LockMode: StoreConvertible {}
extension UsageLockDomain.Strictness: StoreConvertible {}
extension UsageLockDomain.Enforcement: StoreConvertible {}
