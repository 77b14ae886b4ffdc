/// One pass over a folded text: finds where something looks like personal data and asks the rules
/// of each type about it.
///
/// Each byte is looked at a bounded number of times whatever the text is: what stands around a
/// candidate is read within limits, and a run of digits is left behind once it has been read.
struct Scan {
  /// Something that may be personal data, in bytes of the folded text.
  struct Candidate {
    var type: PersonalDataType
    var range: Range<Int>
    var isConfirmed: Bool
  }

  let bytes: [UInt8]
  let policy: ScanPolicy
  let words = ContextWords.standard
  var candidates: [Candidate] = []
  /// Where the next run of digits may begin: what is before has been read.
  var numbersFrom = 0
  /// Where the next network address may begin.
  var addressesFrom = 0
  /// The run of digits at hand; kept for its memory.
  var run = NumberRun()
  /// The words around it, once they have been asked for.
  private var contextOfRun: NumberContext?

  /// The words around the run at hand. Most numbers are nothing whatever stands beside them, and
  /// ask for none.
  var around: NumberContext {
    mutating get {
      if let contextOfRun { return contextOfRun }
      let context = context(of: run.start..<run.end)
      contextOfRun = context
      return context
    }
  }

  mutating func beginRun() {
    run.removeAll()
    contextOfRun = nil
  }

  init(_ bytes: [UInt8], policy: ScanPolicy) {
    self.bytes = bytes
    self.policy = policy
  }

  mutating func search() {
    // A constant of its own: `self` changes, and would be looked up for each byte.
    let bytes = bytes
    let count = bytes.count
    var place = 0
    while place < count {
      let byte = bytes[place]
      if byte.isWord {
        let start = place
        var digits = 0
        var next = byte
        repeat {
          if next.isDigit { digits += 1 }
          place += 1
          next = place < count ? bytes[place] : 0x20
        } while next.isWord
        if digits > 0 {
          readWord(start..<place, digits: digits)
        } else if next == UInt8(ascii: ":") || next == UInt8(ascii: "-")
          || next == UInt8(ascii: "."),
          place - start <= 4
        {
          findNetworkAddress(at: start)
        } else if place - start >= 25 {
          findWallet(start..<place)
        }
      } else {
        place += 1
        switch byte {
        case 0x20, UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"):
          if place < count, bytes[place].lowercased == UInt8(ascii: "a") {
            findSpokenEmail(at: place - 1)
          }
        case UInt8(ascii: "@"): findEmail(at: place - 1)
        case UInt8(ascii: "%"): findEscapedEmail(at: place - 1)
        case UInt8(ascii: ":"): findNetworkAddress(at: place - 1)
        default: break
        }
      }
    }
  }

  /// A word with digits in it.
  private mutating func readWord(_ word: Range<Int>, digits: Int) {
    let start = word.lowerBound
    if bytes[start].isDigit {
      if start >= numbersFrom { readNumbers(at: start) }
    } else if start >= numbersFrom, digits >= 3,
      let first = (start..<min(word.upperBound, start + 24)).first(where: { bytes[$0].isDigit })
    {
      // Letters run into a number: `is415-555-0132`.
      readNumbers(at: first)
    }
    if at(word.upperBound) == UInt8(ascii: ":") || word.count == 2 || word.count == 4 {
      findNetworkAddress(at: start)
    }
    if digits < word.count {
      readIdentifier(word, digits: digits)
    }
  }

  // MARK: Around a place

  /// The byte before a place; a space at the beginning.
  func before(_ place: Int) -> UInt8 { place > 0 ? bytes[place - 1] : 0x20 }

  /// The byte at a place; a space behind the end.
  func at(_ place: Int) -> UInt8 { place < bytes.count ? bytes[place] : 0x20 }

  /// Whether there are no words beside this part, only numbers and signs: an answer to a question.
  /// Never in a log.
  func isAnswer(_ range: Range<Int>) -> Bool {
    guard policy == .message, bytes.count <= 80 else { return false }
    func isWordless(_ bytes: ArraySlice<UInt8>) -> Bool {
      bytes.allSatisfy { !$0.isASCIILetter && $0 != FoldedText.letter }
    }
    return isWordless(bytes[..<range.lowerBound]) && isWordless(bytes[range.upperBound...])
  }

  /// The word that ends before a place, past spaces; empty when there is none.
  func wordBefore(_ place: Int) -> Range<Int> {
    var end = place
    while end > 0, place - end < 3, bytes[end - 1] == 0x20 { end -= 1 }
    var start = end
    while start > 0, end - start < 24, bytes[start - 1].isWord { start -= 1 }
    return start..<end
  }

  /// The word that begins at a place.
  func wordAt(_ place: Int) -> Range<Int> {
    let place = min(place, bytes.count)
    var end = place
    while end < bytes.count, end - place < 40, bytes[end].isWord { end += 1 }
    return place..<end
  }

  /// Whether the bytes of a part are these lower-case letters, whatever their case.
  func equals(_ range: Range<Int>, _ word: StaticString) -> Bool {
    guard range.count == word.utf8CodeUnitCount else { return false }
    return word.withUTF8Buffer { word in
      for place in 0..<word.count where bytes[range.lowerBound + place].lowercased != word[place] {
        return false
      }
      return true
    }
  }

  /// Whether a word that is beside this part, joined by a sign, mixes letters and digits: it is a
  /// piece of a UUID, a key, a base64 text.
  func isPartOfKey(_ range: Range<Int>) -> Bool {
    func isKeySign(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "/"), UInt8(ascii: "+"),
        UInt8(ascii: "="), UInt8(ascii: "."):
        true
      default: false
      }
    }
    func isMixed(_ word: Range<Int>) -> Bool {
      var hasDigit = false
      var hasLetter = false
      var turns = 0
      for place in word {
        hasDigit = hasDigit || bytes[place].isDigit
        hasLetter = hasLetter || bytes[place].isASCIILetter
        if place > word.lowerBound, bytes[place].isUppercase, bytes[place - 1].isLowercase {
          turns += 1
        }
      }
      return hasDigit && hasLetter || turns > 1
    }
    if isKeySign(before(range.lowerBound)) {
      var start = range.lowerBound - 1
      while start > 0, range.lowerBound - start < 40, bytes[start - 1].isWord { start -= 1 }
      if isMixed(start..<(range.lowerBound - 1)) { return true }
    }
    if isKeySign(at(range.upperBound)) {
      let word = wordAt(range.upperBound + 1)
      if isMixed(word) { return true }
    }
    return false
  }

  mutating func add(_ type: PersonalDataType, _ range: Range<Int>, isConfirmed: Bool = false) {
    candidates.append(Candidate(type: type, range: range, isConfirmed: isConfirmed))
  }

  // MARK: One owner for each byte

  /// The candidates that stand: of those that overlap, the confirmed ones first, then by type, then
  /// the longer.
  func winners() -> [Candidate] {
    let sorted = candidates.sorted {
      ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
    }
    var winners: [Candidate] = []
    var place = 0
    while place < sorted.count {
      // Those that touch each other, directly or through others.
      var end = place + 1
      var extent = sorted[place].range.upperBound
      while end < sorted.count, sorted[end].range.lowerBound < extent {
        extent = max(extent, sorted[end].range.upperBound)
        end += 1
      }
      if end == place + 1 {
        winners.append(sorted[place])
      } else {
        let base = sorted[place].range.lowerBound
        var isTaken = [Bool](repeating: false, count: extent - base)
        var standing: [Candidate] = []
        for candidate in sorted[place..<end].sorted(by: Self.isStronger) {
          let range = (candidate.range.lowerBound - base)..<(candidate.range.upperBound - base)
          guard !isTaken[range].contains(true) else { continue }
          for place in range { isTaken[place] = true }
          standing.append(candidate)
        }
        winners += standing.sorted { $0.range.lowerBound < $1.range.lowerBound }
      }
      place = end
    }
    return winners
  }

  private static func isStronger(_ left: Candidate, _ right: Candidate) -> Bool {
    func rank(_ candidate: Candidate) -> (Int, Int, Int, Int) {
      (
        candidate.isConfirmed ? 0 : 1, order(candidate.type), -candidate.range.count,
        candidate.range.lowerBound
      )
    }
    return rank(left) < rank(right)
  }

  private static func order(_ type: PersonalDataType) -> Int {
    switch type {
    case .paymentCard: 0
    case .socialSecurityNumber, .taxpayerNumber: 1
    case .urlCredentials: 2
    case .iban: 3
    case .walletAddress: 4
    case .medicareBeneficiary: 5
    case .cardSecurityCode, .oneTimeCode: 6
    case .nationalProvider, .deaRegistration, .vehicle: 7
    case .bankRouting: 8
    case .driversLicense, .passport: 9
    case .bankAccount: 10
    case .emailAddress: 11
    case .ipAddress, .macAddress: 12
    case .dateOfBirth: 13
    case .phoneNumber: 14
    case .streetAddress: 15
    }
  }
}
