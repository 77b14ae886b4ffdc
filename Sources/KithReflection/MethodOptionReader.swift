import DescriptorContract
import KithWire

/// Kith's own options of a method (`proto/kith/options.proto`), which are among the unknown fields
/// of its options.
struct MethodOptionReader {
  private static let verbNumber = 51001

  /// `(kith.verb)`; empty when it is not said.
  private(set) var verb = ""

  init(_ options: MethodOptions?) {
    guard let bytes = options?.unknownFields.bytes, !bytes.isEmpty else { return }
    // Options that cannot be read say nothing; the descriptor set around them was whole.
    try? bytes.withWireReader { reader throws(WireError) in
      while !reader.isAtEnd {
        let tag = try reader.tag()
        switch (tag.field, tag.type) {
        case (Self.verbNumber, .lengthDelimited): verb = try reader.text()
        default: try reader.skip(tag)
        }
      }
    }
  }
}
