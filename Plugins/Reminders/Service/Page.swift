import KithRPC
import KithTime

/// The place behind which a page begins: when the last one of the page before was due, and its id.
struct Page: Hashable {
  /// nil for those that are never due, which stand behind all others.
  var due: Instant?
  var id: String

  private static let sizes: ClosedRange<UInt32> = 1...500

  /// The place of a token; nil for the first page.
  /// - Throws: INVALID_ARGUMENT.
  init?(token: String) throws(RPCError) {
    if token.isEmpty { return nil }
    let parts = token.split(separator: "_", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, token.utf8.count < 200, parts[0].isEmpty || Int(parts[0]) != nil else {
      throw .invalidArgument(
        field: "page_token", "expected the next_page_token of the page before")
    }
    self.init(due: Int(parts[0]).map { Instant(milliseconds: $0) }, id: String(parts[1]))
  }

  init(due: Instant?, id: String) {
    self.due = due
    self.id = id
  }

  /// The place as a token.
  var token: String { "\(due.map { "\($0.milliseconds)" } ?? "")_\(id)" }

  /// How many a page has: 50 where nothing was said.
  static func size(_ size: UInt32) throws(RPCError) -> Int {
    if size == 0 { return 50 }
    guard sizes.contains(size) else {
      throw .invalidArgument(
        field: "page_size", "expected up to \(sizes.upperBound), or 0 for 50")
    }
    return Int(size)
  }
}
