import KithPersonalData

/// A text with what is to be found in it in guillemets: `Call ‹415-555-0182›`.
struct Marked {
  let text: String
  /// What was in the marks, as bytes of ``text``.
  let ranges: [Range<Int>]

  init(_ marked: String) {
    var text = ""
    var ranges: [Range<Int>] = []
    var start = 0
    for character in marked {
      switch character {
      case "‹": start = text.utf8.count
      case "›": ranges.append(start..<text.utf8.count)
      default: text.append(character)
      }
    }
    self.text = text
    self.ranges = ranges
  }
}

/// Types and places of what is found in a text.
func found(
  _ text: String, policy: ScanPolicy = .message
) -> [(type: PersonalDataType, part: String, isConfirmed: Bool)] {
  let bytes = Array(text.utf8)
  return PersonalDataScanner(policy: policy).findings(in: bytes).map {
    ($0.type, String(decoding: bytes[$0.bytes], as: UTF8.self), $0.isConfirmed)
  }
}

func types(_ text: String, policy: ScanPolicy = .message) -> [PersonalDataType] {
  found(text, policy: policy).map(\.type)
}

func stops(_ text: String) -> Bool {
  !PersonalDataScanner().scrub(text).stoppingTypes.isEmpty
}
