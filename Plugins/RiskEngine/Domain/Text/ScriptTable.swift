/// The scripts of scalars, for the mixed-script detection of UTS #39: sets are augmented (Han, Kana
/// and Hangul go with the writing systems that mix them), Common and Inherited count for nothing.
struct ScriptTable: Sendable {
  /// The table. Built on first use, which is the first name that is not ASCII.
  static let shared = ScriptTable()

  private let table: ScalarTable
  private let sets: [Set<Substring>]

  private init() {
    table = ScalarTable(parsing: Self.source)
    sets = table.names.map { Set($0.split(separator: ".")) }
  }

  /// Whether no one script, and no writing system that mixes some, has all of the scalars.
  func isMixed(_ scalars: [UInt32]) -> Bool {
    var common: Set<Substring>?
    for scalar in scalars {
      guard let place = table.place(of: scalar) else { continue }
      common = common?.intersection(sets[place]) ?? sets[place]
      if common?.isEmpty == true { return true }
    }
    return false
  }
}
