import DescriptorContract
import KithWire

/// Kith's own options of a field (`proto/kith/options.proto`). The descriptors' contract does not
/// know them, so they are among the unknown fields of the options.
struct FieldOptionReader {
  private static let sensitive = 51001
  private static let defaultValueNumber = 51002
  private static let positional = 51003
  private static let unitNumber = 51004
  private static let file = 51005
  private static let table = 51006

  /// `(kith.sensitive)`.
  private(set) var isSensitive = false
  /// `(kith.default_value)`.
  private(set) var defaultValue = ""
  /// `(kith.positional)`.
  private(set) var isPositional = false
  /// `(kith.unit)`; nil for a plain number, and for a unit that is not known here.
  private(set) var unit: FieldDescription.Unit?
  /// `(kith.file)`.
  private(set) var isFile = false
  /// `(kith.table)`.
  private(set) var isTable = false

  init(_ options: FieldOptions?) {
    guard let bytes = options?.unknownFields.bytes, !bytes.isEmpty else { return }
    // Options that cannot be read say nothing; the descriptor set around them was whole.
    try? bytes.withWireReader { reader throws(WireError) in
      while !reader.isAtEnd {
        let tag = try reader.tag()
        switch (tag.field, tag.type) {
        case (Self.sensitive, .varint): isSensitive = try reader.varint() != 0
        case (Self.defaultValueNumber, .lengthDelimited): defaultValue = try reader.text()
        case (Self.positional, .varint): isPositional = try reader.varint() != 0
        case (Self.unitNumber, .lengthDelimited): unit = .init(rawValue: try reader.text())
        case (Self.file, .varint): isFile = try reader.varint() != 0
        case (Self.table, .varint): isTable = try reader.varint() != 0
        default: try reader.skip(tag)
        }
      }
    }
  }
}
