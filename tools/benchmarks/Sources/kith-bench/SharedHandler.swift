import Glibc

/// The work that all RPC stacks do for a call: light, so that the stack is measured, and real, so
/// that nothing can be left out.
enum SharedHandler {
  /// The text of every request: an SMS of 160 characters.
  static let text = """
    IRS: a warrant is out for your arrest. Pay $900 in gift cards today and read the codes to our \
    officer, or the police will come to your house within the next hour.
    """

  /// How many reasons the answer has: one for each of three words that the text holds.
  ///
  /// On the bytes in place: splitting the text would cost more than some stacks do, and allocate.
  static func reasonCount(for text: String) -> Int {
    var text = text
    return text.withUTF8 { bytes in
      var count = 0
      var start = 0
      for index in 0...bytes.count
      where index == bytes.count || bytes[index] == UInt8(ascii: " ") {
        let word = bytes[start..<index]
        if isReason(word, "warrant") || isReason(word, "gift") || isReason(word, "police") {
          count += 1
        }
        start = index + 1
      }
      return count
    }
  }

  private static func isReason(_ word: Slice<UnsafeBufferPointer<UInt8>>, _ wanted: StaticString)
    -> Bool
  {
    guard word.count == wanted.utf8CodeUnitCount, let base = word.base.baseAddress else {
      return false
    }
    return memcmp(base + word.startIndex, wanted.utf8Start, word.count) == 0
  }
}
