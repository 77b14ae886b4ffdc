import Glibc
import KithManifest

/// Which product a folder of `--root` belongs to, in a file of its own: two products in one folder
/// would open each other's stores and end each other's workers.
enum RootProduct {
  /// Gives the folder to the product of these places. Called by the host that holds the folder's
  /// lock.
  /// - Returns: the product that the folder belongs to instead; nil when it belongs to this one
  ///   now. A folder in which nothing is kept and nothing runs changes hands.
  static func claim(_ places: ProductPlaces) throws(SystemError) -> String? {
    guard places.root != nil else { return nil }
    let owner = try DurableFile.read(places.productFile, limit: 4096)
      .map { String(decoding: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self) }
    guard owner != places.product else { return nil }
    if let owner, !owner.isEmpty, try holdsSomething(places) { return owner }
    try DurableFile.replace(places.productFile, with: Array("\(places.product)\n".utf8))
    return nil
  }

  /// Whether workers keep something in the folder, or were left running by a host that was killed.
  private static func holdsSomething(_ places: ProductPlaces) throws(SystemError) -> Bool {
    if access(places.runningManifestFile, F_OK) == 0 { return true }
    let workers = "\(places.stateDirectory)/workers"
    guard access(workers, F_OK) == 0 else { return false }
    return try !DurableFile.names(in: workers).isEmpty
  }
}
