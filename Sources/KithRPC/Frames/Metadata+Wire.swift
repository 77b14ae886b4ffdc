import KithWire

extension Metadata {
  /// The longest key, in bytes.
  static let maximumKeyBytes = 128

  /// How many bytes it takes on the wire, at most.
  var size: Int {
    entries.reduce(0) { size, entry in
      switch entry.value {
      case .text(let text): size + entry.key.utf8.count + text.utf8.count + 16
      case .binary(let bytes): size + entry.key.utf8.count + bytes.count + 16
      }
    }
  }

  /// Checks keys and size.
  ///
  /// - Throws: INVALID_ARGUMENT for a key that breaks the rules, RESOURCE_EXHAUSTED past the limit.
  func check(limit: Int) throws(RPCError) {
    guard !entries.isEmpty else { return }
    guard size <= limit else {
      throw RPCError(
        .resourceExhausted,
        "the metadata takes about \(size) bytes; the limit is \(limit): send less of it")
    }
    for entry in entries {
      guard let flaw = Self.flaw(ofKey: entry.key) else { continue }
      throw RPCError(
        .invalidArgument,
        "a metadata key \(flaw); a key is 1 to \(Self.maximumKeyBytes) lower-case ASCII letters, "
          + "digits, '-', '_' and '.'")
    }
  }

  private static func flaw(ofKey key: String) -> String? {
    if key.isEmpty { return "is empty" }
    if key.utf8.count > maximumKeyBytes { return "has \(key.utf8.count) bytes" }
    let isLegal = key.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
        true
      default: false
      }
    }
    return isLegal ? nil : "holds a character that is not allowed"
  }
}

extension Metadata.Entry {
  /// Reads a `kith.rpc.v1.MetadataEntry`; one without a value is malformed.
  init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
    var key = ""
    var value: Metadata.EntryValue?
    var reader = WireReader(bytes)
    while !reader.isAtEnd {
      let tag = try reader.tag()
      switch (tag.field, tag.type) {
      case (1, .lengthDelimited): key = try reader.text()
      case (2, .lengthDelimited): value = .text(try reader.text())
      case (3, .lengthDelimited): value = .binary([UInt8](try reader.bytes()))
      default: try reader.skip(tag)
      }
    }
    guard let value else {
      throw WireError(.malformed, "an entry of metadata has neither a text nor a binary value")
    }
    self.init(key: key, value: value)
  }
}
