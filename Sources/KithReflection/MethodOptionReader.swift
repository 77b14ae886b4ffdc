import DescriptorContract
import KithWire

/// Kith's own options of a method (`proto/kith/options.proto`), which are among the unknown fields
/// of its options.
struct MethodOptionReader {
  private static let verbNumber = 51001
  private static let entitlementNumber = 51003

  /// `(kith.verb)`; empty when it is not said.
  private(set) var verb = ""
  /// `(kith.entitlement)`; nil for a method that consumes nothing.
  private(set) var entitlement: MethodDescription.Entitlement?

  init(_ options: MethodOptions?) {
    guard let bytes = options?.unknownFields.bytes, !bytes.isEmpty else { return }
    // Options that cannot be read say nothing; the descriptor set around them was whole.
    try? bytes.withWireReader { reader throws(WireError) in
      while !reader.isAtEnd {
        let tag = try reader.tag()
        switch (tag.field, tag.type) {
        case (Self.verbNumber, .lengthDelimited): verb = try reader.text()
        case (Self.entitlementNumber, .lengthDelimited):
          entitlement = try Self.entitlement(Array(reader.bytes()))
        default: try reader.skip(tag)
        }
      }
    }
  }

  private static func entitlement(
    _ bytes: [UInt8]
  ) throws(WireError) -> MethodDescription.Entitlement {
    var use = MethodDescription.Entitlement()
    try bytes.withWireReader { reader throws(WireError) in
      while !reader.isAtEnd {
        let tag = try reader.tag()
        switch (tag.field, tag.type) {
        case (1, .lengthDelimited): use.feature = try reader.text()
        case (2, .lengthDelimited): use.quota = try reader.text()
        case (3, .varint): use.cost = Int(clamping: max(try reader.varint(), 1))
        case (4, .varint): use.isSafety = try reader.varint() != 0
        default: try reader.skip(tag)
        }
      }
    }
    return use
  }
}
