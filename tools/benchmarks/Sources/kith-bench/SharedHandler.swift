/// The work that both RPC stacks do for a call: light, so that the stack is measured, and real, so that nothing can be left out.
enum SharedHandler {
  /// The text of every request: an SMS of 160 characters.
  static let text = """
    IRS: a warrant is out for your arrest. Pay $900 in gift cards today and read the codes to our \
    officer, or the police will come to your house within the next hour.
    """

  /// How many reasons the answer has: one for each of three words that the text holds.
  static func reasonCount(for text: String) -> Int {
    var count = 0
    for word in text.utf8.split(separator: UInt8(ascii: " "))
    where word.elementsEqual("warrant".utf8) || word.elementsEqual("gift".utf8)
      || word.elementsEqual("police".utf8)
    {
      count += 1
    }
    return count
  }
}
