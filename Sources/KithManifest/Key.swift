/// A key of a mapping together with the way to read its value. The one declaration of a key: the
/// decoder reads by it, and its ``manifest`` part is what help prints.
struct Key<Value: Sendable>: Sendable {
  /// The name, type, range, default and purpose.
  let manifest: ManifestKey
  /// The value where the key is absent; nil where that is not one value.
  let standard: Value?
  /// What the error about its absence expects; nil for a key that may be absent.
  let missing: String?
  /// Reads a value: nil, with an error noted, when it is wrong.
  let read: @Sendable (Scalars, ManifestValue) -> Value?

  /// A key that may be absent.
  init(
    _ name: String, type: String, range: String? = nil, standard: Value? = nil, shown: String,
    section: String? = nil, doc: String,
    read: @escaping @Sendable (Scalars, ManifestValue) -> Value?
  ) {
    manifest = ManifestKey(
      name: name, type: type, range: range, defaultText: shown, doc: doc, section: section)
    self.standard = standard
    missing = nil
    self.read = read
  }

  /// A key that must be there.
  init(
    required name: String, type: String, missing: String, section: String? = nil, doc: String,
    read: @escaping @Sendable (Scalars, ManifestValue) -> Value?
  ) {
    manifest = ManifestKey(
      name: name, type: type, range: nil, defaultText: nil, doc: doc, section: section)
    standard = nil
    self.missing = missing
    self.read = read
  }
}

extension Key<Int> {
  /// A whole number of a range.
  static func integer(
    _ name: String, _ range: ClosedRange<Int>, standard: Int? = nil, shown: String? = nil,
    doc: String
  ) -> Key {
    Key(
      name, type: "whole number", range: "\(range.lowerBound) to \(range.upperBound)",
      standard: standard, shown: shown ?? standard.map(String.init) ?? "none", doc: doc
    ) { $0.integer($1, range) }
  }
}

extension Key<Duration> {
  /// A time of a range.
  static func duration(
    _ name: String, _ range: ClosedRange<Duration>, standard: Duration? = nil,
    shown: String? = nil, doc: String
  ) -> Key {
    Key(
      name, type: "duration", range: "\(range.lowerBound.short) to \(range.upperBound.short)",
      standard: standard, shown: shown ?? standard?.short ?? "none", doc: doc
    ) { $0.duration($1, range) }
  }
}

extension Key<Bool> {
  /// `true` or `false`; absent means false.
  static func flag(_ name: String, doc: String) -> Key {
    Key(name, type: "true or false", standard: false, shown: "false", doc: doc) { $0.bool($1) }
  }
}

extension Key where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// One of several words.
  static func word(
    _ name: String, standard: Value? = nil, shown: String? = nil, doc: String
  ) -> Key {
    Key(
      name, type: Value.allCases.map(\.rawValue).joined(separator: ", "), standard: standard,
      shown: shown ?? standard?.rawValue ?? "none", doc: doc
    ) { $0.word($1) }
  }
}

extension Key<ManifestValue> {
  /// A value that is decoded further by those who read the key: a mapping with keys of its own.
  static func nested(
    _ name: String, type: String = "mapping", shown: String, section: String? = nil, doc: String
  ) -> Key {
    Key(name, type: type, shown: shown, section: section, doc: doc) { $1 }
  }
}
