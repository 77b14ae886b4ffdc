import KithReflection
import KithWire
import TestingContract

/// The two decoders of protobuf: the generated one through libprotobuf-c, and the one that reads
/// contracts at run time.
struct ProtobufTarget: FuzzTarget {
  private let contracts: ContractSet

  /// A target with the testing contracts.
  init() throws {
    contracts = try ContractSet(encodedDescriptorSet: TestingDescriptorSet.bytes)
  }

  func run(_ input: [UInt8]) {
    let message = try? Everything(decoding: input)
    let dynamic = try? contracts.decode(input, as: Everything.fullName)
    // One that holds a NaN equals no other, though an array that holds one equals itself: told by a
    // second decoding.
    let isComparable = message != nil && message == (try? Everything(decoding: input))
    if let message { check(message, isComparable) }
    if let dynamic { check(dynamic) }
    // Which of them takes an input may differ: libprotobuf-c takes no groups, and looks at the text
    // of a oneof only where a later member does not replace it. Unknown fields are kept by one of
    // the two only.
    guard let message, let dynamic, isComparable, dynamic.isAllKnown else { return }
    require(
      (try? Everything(decoding: dynamic.encoded())) == message, "the decoders do not agree")
  }

  private func check(_ message: Everything, _ isComparable: Bool) {
    // Deeper than may be written is not an error of the decoder.
    guard let bytes = try? message.encoded() else { return }
    guard let again = try? Everything(decoding: bytes) else {
      broken("what was encoded cannot be decoded")
    }
    if isComparable { require(again == message, "it is another one after a round") }
  }

  private func check(_ message: DynamicMessage) {
    let bytes = message.encoded()
    guard let again = try? contracts.decode(bytes, as: Everything.fullName) else {
      broken("what was encoded cannot be decoded")
    }
    require(again.encoded() == bytes, "it is another one after a round")
  }
}

extension DynamicMessage {
  /// Whether it and the messages in it have no field that the contract does not know.
  fileprivate var isAllKnown: Bool {
    unknownFieldCount == 0 && fields.allSatisfy { $0.value.isAllKnown }
  }
}

extension DynamicValue {
  fileprivate var isAllKnown: Bool {
    switch self {
    case .message(let message): message.isAllKnown
    case .list(let values): values.allSatisfy(\.isAllKnown)
    case .map(let entries): entries.allSatisfy { $0.value.isAllKnown }
    default: true
    }
  }
}
