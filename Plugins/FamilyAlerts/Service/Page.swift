import KithRPC
import KithStore
import KithTime

/// The place behind which a page of incidents begins: when the last one of the page before was
/// opened, and its id.
struct Page: Hashable {
  var openedAt: Instant
  var id: String

  /// The place of a token; nil for the first page.
  /// - Throws: INVALID_ARGUMENT.
  init?(token: String) throws(RPCError) {
    if token.isEmpty { return nil }
    let parts = token.split(separator: "_", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, token.utf8.count < 200, let opened = Int(parts[0]) else {
      throw .invalidArgument(
        field: "page_token", "expected the next_page_token of the page before")
    }
    self.init(openedAt: Instant(milliseconds: opened), id: String(parts[1]))
  }

  init(openedAt: Instant, id: String) {
    self.openedAt = openedAt
    self.id = id
  }

  /// The place as a token.
  var token: String { "\(openedAt.milliseconds)_\(id)" }

  /// The place as the values of the columns that pages are ordered by.
  var values: [StoreValue] { [.integer(openedAt.contract), .text(id)] }

  /// How many a page has: 50 where nothing was said.
  static func size(_ size: UInt32) throws(RPCError) -> Int {
    if size == 0 { return 50 }
    guard size <= 200 else {
      throw .invalidArgument(field: "page_size", "expected up to 200, or 0 for 50")
    }
    return Int(size)
  }
}
