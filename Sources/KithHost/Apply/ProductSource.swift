import KithManifest
import KithPlanning

/// Where a product's plan is read from.
struct ProductSource: Sendable, Hashable {
  /// The product's name on the search path, or the path of its manifest.
  var product: String
  /// Folders with plugins that are searched before all others.
  var folders: [String]

  /// Reads the manifests and plans the product.
  /// - Throws: all that is wrong.
  func plan(environment: [String: String]) throws(ManifestErrors) -> Plan {
    try ManifestReader(folders: folders, environment: environment).checkedPlan(product)
  }
}
