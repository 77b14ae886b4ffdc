import Glibc
import KithJSON
import KithManifest
import KithPlanning

/// What a host runs, in a file of the product's state: for the host that follows it after it was
/// killed, when it is started with the same words. It is gone once the product is ended by
/// `kith down`.
struct RunningManifest: Hashable {
  /// What the host was started with.
  var startedWith: ProductSource
  /// What it runs: another manifest may have been applied since.
  var source: ProductSource
  /// The manifests as they stood when it began to run them.
  var manifests: ManifestCopy

  /// How large the file may be: that of every manifest that it holds is bounded.
  private static let maximumBytes = 64 << 20

  init(startedWith: ProductSource, source: ProductSource, manifests: ManifestCopy) {
    self.startedWith = startedWith
    self.source = source
    self.manifests = manifests
  }

  /// The record of a product; nil when there is none that can be read.
  init?(at places: ProductPlaces) {
    guard
      let bytes = try? DurableFile.read(places.runningManifestFile, limit: Self.maximumBytes),
      let object = (try? JSONValue(parsing: bytes))?.objectValue,
      let startedWith = ProductSource(object["started_with"]),
      let source = ProductSource(object["runs"]), let manifests = ManifestCopy(object["manifests"])
    else { return nil }
    self.init(startedWith: startedWith, source: source, manifests: manifests)
  }

  /// Writes the record; it is on disk when this returns.
  func write(at places: ProductPlaces) throws(SystemError) {
    let value: JSONValue = [
      "started_with": startedWith.json, "runs": source.json, "manifests": manifests.json,
    ]
    try DurableFile.replace(places.runningManifestFile, with: Array((value.text() + "\n").utf8))
  }

  /// Removes the record.
  static func forget(at places: ProductPlaces) {
    unlink(places.runningManifestFile)
  }
}

extension ProductPlaces {
  /// The file with the record of what runs.
  var runningManifestFile: String { "\(stateDirectory)/running.json" }
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
