import KithWire
import SwiftProtobuf

/// A message in both implementations. `Generated/Pairs.swift` has the list of all.
struct Pair: Sendable, CustomStringConvertible {
  /// The full name of the message.
  let name: String
  /// Decodes and encodes through libprotobuf-c.
  let recode: @Sendable ([UInt8]) throws -> [UInt8]
  /// Decodes and encodes through swift-protobuf.
  let recodeByOther: @Sendable ([UInt8]) throws -> [UInt8]
  /// Whether two encoded messages are equal as Swift values.
  let areEqual: @Sendable ([UInt8], [UInt8]) throws -> Bool

  init<Ours: WireMessage, Theirs: SwiftProtobuf.Message>(_ ours: Ours.Type, _ theirs: Theirs.Type) {
    name = Ours.fullName
    recode = { bytes in try Ours(decoding: bytes).encoded() }
    areEqual = { left, right in try Ours(decoding: left) == Ours(decoding: right) }
    recodeByOther = { bytes in
      var options = BinaryEncodingOptions()
      options.useDeterministicOrdering = true
      return try Theirs(serializedBytes: bytes).serializedBytes(options: options)
    }
  }

  var description: String { name }
}
