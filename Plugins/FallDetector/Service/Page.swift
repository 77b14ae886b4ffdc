import FallDetectorDomain
import KithRPC

/// The place behind which a page begins: when the last case of the page before began, and its id.
struct Page: Hashable {
  var openedAt: Int64
  var id: String

  private static let sizes: ClosedRange<UInt32> = 1...200

  /// The place of a token; nil for the first page.
  /// - Throws: INVALID_ARGUMENT.
  init?(token: String) throws(RPCError) {
    if token.isEmpty { return nil }
    let parts = token.split(separator: "_", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, token.utf8.count < 200, let openedAt = Int64(parts[0]) else {
      throw .invalidArgument(
        field: "page_token", "expected the next_page_token of the page before")
    }
    (self.openedAt, id) = (openedAt, String(parts[1]))
  }

  /// The token of the page behind a case.
  static func token(behind row: StoredCase) -> String {
    "\(row.progress.openedAt.contract)_\(row.id)"
  }

  /// How many a page has: 50 where nothing was said.
  static func size(_ size: UInt32) throws(RPCError) -> Int {
    if size == 0 { return 50 }
    guard sizes.contains(size) else {
      throw .invalidArgument(field: "page_size", "expected up to \(sizes.upperBound), or 0 for 50")
    }
    return Int(size)
  }
}
