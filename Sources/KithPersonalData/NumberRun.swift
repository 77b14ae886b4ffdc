/// Groups of digits with little between them: `+1 (415) 555-0182`.
struct NumberRun {
  /// The groups, in bytes of the folded text.
  var groups: [Range<Int>] = []
  /// The digits of all groups, as values.
  var digits: [UInt8] = []
  /// Where each group's digits begin in ``digits``, and behind the last one their number.
  var firstDigit: [Int] = []

  var count: Int { groups.count }
  var start: Int { groups[0].lowerBound }
  var end: Int { groups[groups.count - 1].upperBound }

  mutating func removeAll() {
    if digits.capacity == 0 {
      // Room for a telephone number, so that it is asked for once.
      groups.reserveCapacity(8)
      digits.reserveCapacity(24)
      firstDigit.reserveCapacity(9)
    }
    groups.removeAll(keepingCapacity: true)
    digits.removeAll(keepingCapacity: true)
    firstDigit.removeAll(keepingCapacity: true)
  }

  /// How many digits a group has; 0 behind the last one.
  func size(_ group: Int) -> Int { group < groups.count ? groups[group].count : 0 }

  /// The digits of some groups.
  func digits(_ groups: Range<Int>) -> ArraySlice<UInt8> {
    digits[firstDigit[groups.lowerBound]..<firstDigit[groups.upperBound]]
  }

  /// The value of a group; the largest there is for one of more than 18 digits.
  func value(_ group: Int) -> Int {
    guard size(group) <= 18 else { return .max }
    return digits(group..<group + 1).reduce(0) { $0 * 10 + Int($1) }
  }

  /// The bytes of some groups and what is between them.
  func bytes(_ groups: Range<Int>) -> Range<Int> {
    self.groups[groups.lowerBound].lowerBound..<self.groups[groups.upperBound - 1].upperBound
  }
}
