import KithRPC

/// What fields of requests may hold.
enum Check {
  /// - Throws: INVALID_ARGUMENT that names the field.
  static func text(
    _ text: String, _ field: String, bytes: ClosedRange<Int>
  ) throws(RPCError) {
    guard bytes.contains(text.utf8.count) else {
      throw .invalidArgument(
        field: field, "expected \(bytes.lowerBound) to \(bytes.upperBound) bytes")
    }
    guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      throw .invalidArgument(field: field, "expected no control characters")
    }
  }

  /// - Throws: INVALID_ARGUMENT that names the field.
  static func range<Value: Comparable>(
    _ value: Value, _ field: String, _ range: ClosedRange<Value>, _ words: String
  ) throws(RPCError) {
    guard range.contains(value) else { throw .invalidArgument(field: field, "expected \(words)") }
  }
}
