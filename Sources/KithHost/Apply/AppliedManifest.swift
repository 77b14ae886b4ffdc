import Glibc
import KithJSON
import KithManifest

/// Which manifest was applied to a host that had been started with another: a file of the product's state, for the host
/// that is started after it, with the same words as the one before. It is gone once the product is ended on purpose.
struct AppliedManifest: Hashable {
  /// What the host was started with.
  var startedWith: ProductSource
  /// What it runs.
  var source: ProductSource

  init(startedWith: ProductSource, source: ProductSource) {
    self.startedWith = startedWith
    self.source = source
  }

  /// The record of a product; nil when there is none that can be read.
  init?(at places: ProductPlaces) {
    guard let bytes = try? DurableFile.read(places.appliedManifestFile),
      let object = (try? JSONValue(parsing: bytes))?.objectValue,
      let startedWith = ProductSource(object["started_with"]),
      let source = ProductSource(object["runs"])
    else { return nil }
    self.init(startedWith: startedWith, source: source)
  }

  /// Writes the record; it is on disk when this returns.
  func write(at places: ProductPlaces) throws(SystemError) {
    let value: JSONValue = ["started_with": startedWith.json, "runs": source.json]
    try DurableFile.replace(places.appliedManifestFile, with: Array((value.text() + "\n").utf8))
  }

  /// Removes the record.
  static func forget(at places: ProductPlaces) {
    unlink(places.appliedManifestFile)
  }
}

extension ProductPlaces {
  /// The file with the record of the manifest that was applied.
  var appliedManifestFile: String { "\(stateDirectory)/applied.json" }
}

extension ProductSource {
  fileprivate init?(_ value: JSONValue?) {
    guard let object = value?.objectValue, let product = object["product"]?.stringValue,
      let folders = object["plugins"]?.arrayValue
    else { return nil }
    self.init(product: product, folders: folders.compactMap(\.stringValue))
  }

  fileprivate var json: JSONValue {
    ["product": .string(product), "plugins": .array(folders.map { .string($0) })]
  }
}
