/// A value that a manifest states, and where.
package struct Stated<Value: Sendable & Equatable>: Sendable, Equatable {
  /// The value.
  package let value: Value
  /// Where the value begins.
  package let location: SourceLocation
}

/// One of two values of which the first must not be above the second. Each may come from another
/// layer: the plugin, the base of a product, or the product.
struct Bound<Value: Sendable & Equatable> {
  var key: String
  /// What a manifest states; nil where the default applies.
  var stated: Stated<Value>?
  /// What is stated, or the default.
  var value: Value
}

extension Findings {
  /// Notes that a value is above another, at the place in the product where one of them stands
  /// there.
  /// - Parameters:
  ///   - plugin: the file of the plugin, over whose values the product's are laid.
  func refuse<Value>(
    _ low: Bound<Value>, above high: Bound<Value>, plugin: String, words: (Value) -> String
  ) {
    func said(_ bound: Bound<Value>) -> String {
      "'\(bound.key)' (\(words(bound.value))\(bound.stated == nil ? " by default" : ""))"
    }
    let places = [low.stated, high.stated].compactMap { $0?.location }
    let place = places.first { $0.file != plugin } ?? places.first ?? SourceLocation(file: plugin)
    let elsewhere = places.first { $0.file != place.file }.map { "; the other one is at \($0)" }
    add(
      ManifestError(
        .outOfRange, "\(said(low)) is above \(said(high))\(elsewhere ?? "")", at: place,
        expected: "'\(low.key)' to be '\(high.key)' or less"))
  }
}
