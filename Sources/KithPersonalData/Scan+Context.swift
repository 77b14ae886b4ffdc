/// What the words around a number say of it.
struct NumberContext {
  /// What the nearest word before that says anything says, or else the nearest behind.
  var nearest: ContextMeaning = []
  /// How many words away that is.
  var distance = Int.max
  /// What any word around says.
  var all: ContextMeaning = []
  /// What the word directly behind says.
  var next: ContextMeaning = []
}

extension Scan {
  /// How many words before and behind are read.
  static let wordsBefore = 9
  static let wordsBehind = 7
  /// How many bytes before and behind are read.
  static let bytesAround = 120

  /// The words around a part of the text, within its sentence.
  func context(of range: Range<Int>) -> NumberContext {
    var context = NumberContext()
    readBefore(range.lowerBound, into: &context)
    let foundBefore = !context.nearest.isEmpty
    readBehind(range.upperBound, keepsNearest: foundBefore, into: &context)
    return context
  }

  private func meaning(of word: Range<Int>) -> ContextMeaning {
    let meaning = words.meaning(of: bytes, word)
    switch policy {
    case .message: return meaning.contains(.calling) ? meaning.union(.phone) : meaning
    // The number of a sealing key is as long as a telephone's.
    case .log: return meaning.contains(.key) ? meaning.union(.thing) : meaning
    }
  }

  private func readBefore(_ start: Int, into context: inout NumberContext) {
    let limit = max(0, start - Self.bytesAround)
    var place = start
    var count = 0
    var follower: ContextMeaning = []
    var newlines = 0
    while place > limit, count < Self.wordsBefore {
      let byte = bytes[place - 1]
      if byte.isWord {
        let end = place
        while place > limit, bytes[place - 1].isWord { place -= 1 }
        count += 1
        guard end - place <= 16 else { continue }
        var meaning = meaning(of: place..<end)
        if meaning.contains(.publicCode), follower.contains(.code) {
          context.all.remove(.code)
        }
        if follower.contains(.ending) || meaning.contains(.ending) { context.all.insert(.ending) }
        follower = meaning
        meaning.remove(.unit)
        if context.nearest.isEmpty, !meaning.isDisjoint(with: .types) {
          context.nearest = meaning.intersection(.types)
          context.distance = count
        }
        context.all.formUnion(meaning)
      } else {
        switch byte {
        case UInt8(ascii: "!"): return
        case UInt8(ascii: "\n"):
          newlines += 1
          // An empty line parts what is said, but for a heading: `Phone:` and its number below.
          if newlines > 2 { return }
        case UInt8(ascii: "."):
          // The end of a sentence, unless it is a short word's: `no.`, `Tel.`
          if place < start, bytes[place].isSpace, wordBefore(place - 1).count > 3 { return }
        case UInt8(ascii: "]"):
          if let placeholder = placeholder(endingAt: place) {
            place = placeholder.lowerBound
            count += 1
            continue
          }
        default: break
        }
        place -= 1
      }
    }
  }

  private func readBehind(_ end: Int, keepsNearest: Bool, into context: inout NumberContext) {
    let limit = min(bytes.count, end + Self.bytesAround)
    var place = end
    var count = 0
    var previous: ContextMeaning = []
    while place < limit, count < Self.wordsBehind {
      let byte = bytes[place]
      if byte.isWord {
        let start = place
        while place < limit, bytes[place].isWord { place += 1 }
        count += 1
        var meaning = meaning(of: start..<place)
        if count == 1 { context.next = meaning }
        if meaning.contains(.code), previous.contains(.publicCode) { meaning.remove(.code) }
        previous = meaning
        if !keepsNearest, context.nearest.isEmpty, !meaning.isDisjoint(with: .types) {
          context.nearest = meaning.intersection(.types)
          context.distance = count + 2
        }
        context.all.formUnion(meaning.subtracting([.unit, .ending]))
      } else {
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "?"), UInt8(ascii: "\n"), UInt8(ascii: ";"): return
        case UInt8(ascii: "."), UInt8(ascii: ","):
          // What is behind a comma belongs to what comes next.
          if at(place + 1).isSpace { return }
        case UInt8(ascii: "["):
          if let placeholder = placeholder(beginningAt: place) {
            place = placeholder.upperBound
            count += 1
            continue
          }
        default: break
        }
        place += 1
      }
    }
  }

  /// The placeholder that ends before a place. Its words say nothing about what stands beside it.
  private func placeholder(endingAt end: Int) -> Range<Int>? {
    var start = end - 1
    while start > 0, end - start < 36, bytes[start] != UInt8(ascii: "[") { start -= 1 }
    return placeholder(beginningAt: start).flatMap { $0.upperBound == end ? $0 : nil }
  }

  private func placeholder(beginningAt start: Int) -> Range<Int>? {
    let prefix: StaticString = "[redacted_"
    guard start + 11 <= bytes.count, equals(start..<(start + 10), prefix) else { return nil }
    var end = start + 10
    while end < bytes.count, end - start < 36, bytes[end].isUppercase || bytes[end] == 0x5F {
      end += 1
    }
    return at(end) == UInt8(ascii: "]") ? start..<(end + 1) : nil
  }
}
