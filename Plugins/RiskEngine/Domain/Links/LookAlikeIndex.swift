/// Finds the brand that a label imitates, in time that does not grow with the number of brands.
///
/// Exact names, names as they look, and names with a letter or two left out are kept as hashes; two
/// names are few edits apart only when they share one of the last. What a change may look like
/// before it counts depends on the length (in a short name every change makes somebody else's name)
/// and on the ending: an imitation takes the ending of the original, or one that costs nothing.
struct LookAlikeIndex: Sendable {
  /// What an ending says.
  struct Ending {
    var hash: UInt64
    /// Anybody has names there and scams like it: `top`, `xyz`, free hosts.
    var isAbused = false
    /// `com`, `org`, `info` and the like: where a name is taken that is the brand's elsewhere.
    var isGeneric = false
    /// `net`.
    var isNetwork = false
    /// Strangers have names there, many of them ordinary words.
    var isShared = false
    /// Where each project has its own name, given only to whom it belongs (`github.io`).
    var isProjects = false
  }

  /// An imitation.
  struct Match {
    var brand: Int
    var reason: LookAlikeReason
  }

  private let guards: [BrandBook.Guard]
  private var exact = FlatTable()
  private var reversed = FlatTable()
  private var visual = FlatTable()
  private var deletions: HashBuckets
  private var words = FlatTable()
  private var longest = 0

  /// A word that is added to a brand's name.
  private static let hook = 1
  /// One that only a scam, or the brand itself, adds.
  private static let strongHook = 2

  /// The least length of a name that is guarded against two edits.
  private static let twoEdits = 12
  /// Longer labels are not compared letter by letter; no brand's is as long.
  private static let longestLabel = 40

  /// - Parameters:
  ///   - hooks: words that imitations add to a name.
  ///   - strongHooks: those of them that count beside an ordinary word as well.
  init(guards: [BrandBook.Guard], hooks: [[UInt8]], strongHooks: [[UInt8]]) {
    self.guards = guards
    var pairs: [(hash: UInt64, place: UInt16)] = []
    pairs.reserveCapacity(guards.count * 24)
    for (place, item) in guards.enumerated() {
      let hash = Self.hash(item.label)
      if exact.value(of: hash) == 0 {
        exact.set(hash, place + 1)
        reversed.set(HostHash.of(item.label), place + 1)
      }
      visual.set(Self.visualHash(item.label), place + 1)
      longest = max(longest, item.label.count)
      guard item.standsEdits else { continue }
      Self.deletions(
        of: item.label, two: item.label.count >= Self.twoEdits && !item.isOtherName
      ) { pairs.append(($0, UInt16(place))) }
    }
    deletions = HashBuckets(pairs)
    for word in hooks { words.set(Self.hash(word), Self.hook) }
    for word in strongHooks { words.set(Self.hash(word), Self.strongHook) }
  }

  /// The brand that a registered label imitates.
  ///
  /// - Parameters:
  ///   - label: ASCII, lower case.
  ///   - ending: the public suffix that it is registered under.
  ///   - onlyOwn: whether only imitations under an ending of the brand's own count.
  func match(_ label: [UInt8], _ ending: Ending, onlyOwn: Bool = false) -> Match? {
    guard label.count >= 2 else { return nil }
    if !onlyOwn, let place = place(label) {
      // The label is a brand's: its own domain has been told apart before.
      return endingMatch(guards[place], ending)
    }
    if label.contains(UInt8(ascii: "-")), let match = hyphenated(label, ending, onlyOwn) {
      return match
    }
    if !onlyOwn || label.count > 5, let match = withAddedWord(label[...], ending, onlyOwn) {
      return match
    }
    if let match = nearly(label, ending, onlyOwn) { return match }
    return nil
  }

  /// The brand whose very name a label is: not one that is an ordinary word as well.
  func names(_ label: some Sequence<UInt8>) -> (brand: Int, isCommon: Bool, length: Int)? {
    guard let place = place(label) else { return nil }
    let item = guards[place]
    return (item.brand, item.isCommon, item.label.count)
  }

  /// The brand whose name the labels make when the dots are taken out.
  func joined(_ label: [UInt8], _ ending: Ending) -> Match? {
    guard let place = place(label) else { return nil }
    let item = guards[place]
    guard item.suffixes.contains(ending.hash) || ending.isAbused && item.label.count >= 5,
      item.label.count >= 4 || item.isGuardedWhenShort
    else { return nil }
    return Match(brand: item.brand, reason: .dot)
  }

  /// The brand that a label with letters of other scripts imitates. Hardly anybody else has such
  /// names, so one letter more or less does not matter, nor does the ending.
  ///
  /// - Parameters:
  ///   - folded: the label as it reads in ASCII, `?` for what has no such form.
  ///   - skeleton: its skeleton, case folded.
  func foreign(folded: [UInt8], skeleton: [UInt32]) -> Match? {
    if skeleton.allSatisfy({ $0 < 0x80 }) {
      let place = visual.value(of: Self.visualHash(skeleton.map { UInt8($0) }))
      if place != 0 { return Match(brand: guards[place - 1].brand, reason: .confusable) }
    }
    let plain = folded.filter { $0 != UInt8(ascii: "-") }
    for candidate in [folded, plain] {
      if let place = place(candidate) {
        return Match(brand: guards[place].brand, reason: .confusable)
      }
      let seen = visual.value(of: Self.visualHash(candidate))
      if seen != 0 { return Match(brand: guards[seen - 1].brand, reason: .confusable) }
    }
    if let match = withAddedWord(folded[...], Ending(hash: 0, isAbused: true), false) {
      return Match(brand: match.brand, reason: .confusable)
    }
    guard folded.count <= Self.longestLabel else { return nil }
    var best: Match?
    for candidate in [folded, Self.collapsed(folded)] where best == nil {
      edits(of: candidate) { item, distance in
        if item.label.count >= 5 || candidate.count >= 4 {
          best = Match(brand: item.brand, reason: .confusable)
        }
      }
    }
    return best
  }

  // MARK: - One kind of imitation each

  private func endingMatch(_ item: BrandBook.Guard, _ ending: Ending) -> Match? {
    let own = item.suffixes.contains(ending.hash)
    guard !own else { return nil }
    let flagged: Bool
    if ending.isProjects {
      flagged = false
    } else if ending.isShared && !item.isDistinct {
      flagged = false
    } else if ending.isAbused {
      flagged = item.label.count >= 4 || item.isGuardedWhenShort
    } else if !item.isDistinct {
      flagged = false
    } else if item.label.count <= 4 && !item.isGuardedWhenShort {
      flagged = false
    } else if ending.isGeneric {
      flagged = true
    } else if ending.isNetwork {
      flagged = !item.isNetwork
    } else {
      flagged = item.isHomebound && item.label.count >= 6
    }
    return flagged ? Match(brand: item.brand, reason: .ending) : nil
  }

  private func hyphenated(_ label: [UInt8], _ ending: Ending, _ onlyOwn: Bool) -> Match? {
    let joined = label.filter { $0 != UInt8(ascii: "-") }
    if let place = place(joined) {
      let item = guards[place]
      let own = item.suffixes.contains(ending.hash)
      if own || !onlyOwn && (ending.isAbused || ending.isGeneric || ending.isNetwork),
        item.label.count >= 4 || item.isGuardedWhenShort,
        item.isDistinct || own && item.label.count >= 7 || ending.isAbused
      {
        return Match(brand: item.brand, reason: .hyphen)
      }
    }
    // A brand's name as one of the parts.
    var found: (item: BrandBook.Guard, at: Int)?
    let parts = label.split(separator: UInt8(ascii: "-"))
    guard parts.count >= 2 else { return nil }
    for (index, part) in parts.enumerated() {
      if let place = place(part),
        found == nil || guards[place].label.count > found!.item.label.count
      {
        found = (guards[place], index)
      }
    }
    // `e-zpass-toll`: a name that has a hyphen itself.
    if found == nil, let match = withAddedWord(label[...], ending, onlyOwn) { return match }
    let isExact = found != nil
    if found == nil { found = similar(toOneOf: parts) }
    guard let (item, at) = found, item.suffixes.contains(ending.hash) || !onlyOwn else {
      return nil
    }
    var hooks = 0
    var strong = 0
    for (index, part) in parts.enumerated() where index != at {
      let kind = isHook(part)
      if kind != 0 || part.allSatisfy({ $0 &- 0x30 < 10 }) { hooks += 1 }
      if kind == Self.strongHook { strong += 1 }
    }
    let others = parts.count - 1
    let flagged: Bool
    let isOwnAgency = item.isAgency && item.suffixes.contains(ending.hash)
    if !isExact || !item.isDistinct && !isOwnAgency {
      flagged = hooks == others && strong > 0 && item.label.count >= 5
    } else if item.label.count <= 4 {
      flagged = hooks == others && (strong > 0 || ending.isAbused || item.isGuardedWhenShort)
    } else {
      flagged =
        strong > 0 || hooks > 0 && ending.isAbused || hooks == others && item.isHomebound
    }
    return flagged ? Match(brand: item.brand, reason: .addedWord) : nil
  }

  /// The first part that looks like a guarded name, and that name.
  private func similar(
    toOneOf parts: [ArraySlice<UInt8>]
  ) -> (item: BrandBook.Guard, at: Int)? {
    for (index, part) in parts.enumerated() where part.count >= 6 && part.count <= 20 {
      // A part is often a word, so it has to be long to stand for a name with a letter changed.
      let seen = visual.value(of: Self.visualHash(part))
      var near = seen == 0 ? nil : guards[seen - 1]
      if near == nil, part.count >= 7 {
        edits(of: Array(part), atMost: 1) { item, _ in near = item }
      }
      if let near, !near.isCommon, near.label.count >= 6 { return (near, index) }
    }
    return nil
  }

  /// `paypalsecure`, `verifyusps`, `wwwchase`, `irsgov`.
  private func withAddedWord(
    _ label: ArraySlice<UInt8>, _ ending: Ending, _ onlyOwn: Bool
  ) -> Match? {
    guard label.count >= 5, label.count <= 63 else { return nil }
    var best: (item: BrandBook.Guard, rest: ArraySlice<UInt8>)?
    var hash = StableHash.start
    let front = min(label.count - 2, longest)
    for index in 0..<front {
      hash = StableHash.step(hash, UInt32(label[label.startIndex + index]))
      guard index >= 2 else { continue }
      let place = exact.value(of: hash)
      if place != 0 {
        let rest = label[(label.startIndex + index + 1)...]
        if counts(guards[place - 1], rest, ending) { best = (guards[place - 1], rest) }
      }
    }
    if best == nil {
      hash = StableHash.start
      for index in 0..<front {
        hash = StableHash.step(hash, UInt32(label[label.endIndex - 1 - index]))
        guard index >= 2 else { continue }
        let place = reversed.value(of: hash)
        if place != 0 {
          let rest = label[..<(label.endIndex - 1 - index)]
          if counts(guards[place - 1], rest, ending) { best = (guards[place - 1], rest) }
        }
      }
    }
    // A hook in front and another behind: `mypaypallogin`.
    if best == nil, label.count >= 10 {
      var start = StableHash.start
      for index in 0..<min(8, label.count - 6) {
        start = StableHash.step(start, UInt32(label[label.startIndex + index]))
        guard index >= 1, words.value(of: start) != 0 else { continue }
        var middle = StableHash.start
        let rest = label[(label.startIndex + index + 1)...]
        for inner in 0..<min(rest.count - 2, longest) {
          middle = StableHash.step(middle, UInt32(rest[rest.startIndex + inner]))
          let place = inner >= 4 ? exact.value(of: middle) : 0
          if place != 0, guards[place - 1].isDistinct,
            isHook(rest[(rest.startIndex + inner + 1)...]) != 0
          {
            best = (guards[place - 1], rest)
          }
        }
      }
    }
    guard let best, !onlyOwn || best.item.suffixes.contains(ending.hash) else { return nil }
    return Match(brand: best.item.brand, reason: .addedWord)
  }

  /// Whether `rest` beside a brand's name makes an imitation of it.
  private func counts(
    _ item: BrandBook.Guard, _ rest: ArraySlice<UInt8>, _ ending: Ending
  ) -> Bool {
    let kind = isHook(rest)
    let length = item.label.count
    guard kind != 0 else { return length >= 8 && ending.isAbused && item.isDistinct }
    let isApart = rest.first == UInt8(ascii: "-") || rest.last == UInt8(ascii: "-")
    if item.isAgency, item.suffixes.contains(ending.hash) { return kind == Self.strongHook }
    if length == 3 {
      return item.isGuardedWhenShort && kind == Self.strongHook && (rest.count >= 3 || isApart)
    }
    if !item.isDistinct { return kind == Self.strongHook && length >= 5 }
    if length == 4 { return kind == Self.strongHook }
    // Companies have many names like `samsungapps.com`, so there only words that ask for something
    // count.
    return kind == Self.strongHook || ending.isAbused || item.isHomebound
  }

  /// Whether bytes are a hook, hyphens and digits at their ends aside; or two hooks.
  private func isHook(_ given: ArraySlice<UInt8>) -> Int {
    var rest = given
    while let first = rest.first, first == UInt8(ascii: "-") || first &- 0x30 < 10 {
      rest = rest.dropFirst()
    }
    while let last = rest.last, last == UInt8(ascii: "-") || last &- 0x30 < 10 {
      rest = rest.dropLast()
    }
    guard !rest.isEmpty else { return 0 }
    let whole = word(rest)
    if whole != 0 { return whole }
    var hash = StableHash.start
    for index in rest.indices.prefix(16).dropLast(1) {
      hash = StableHash.step(hash, UInt32(rest[index]))
      let first = words.value(of: hash)
      guard first != 0 else { continue }
      var behind = rest[(index + 1)...]
      while behind.first == UInt8(ascii: "-") { behind = behind.dropFirst() }
      let second = word(behind)
      if second != 0 { return max(first, second) }
    }
    return 0
  }

  /// Names that look the same, or are one letter or two away.
  private func nearly(_ label: [UInt8], _ ending: Ending, _ onlyOwn: Bool) -> Match? {
    guard label.count <= Self.longestLabel else { return nil }
    let seen = visual.value(of: Self.visualHash(label))
    if seen != 0 {
      let item = guards[seen - 1]
      let own = item.suffixes.contains(ending.hash)
      let wide = ending.isAbused || ending.isGeneric || ending.isNetwork
      if own || !onlyOwn && wide && item.label.count >= 4 || !onlyOwn && item.label.count >= 6,
        item.label.count >= 5 || item.isGuardedWhenShort
      {
        return Match(brand: item.brand, reason: .confusable)
      }
    }
    var best: Match?
    var least = 3
    edits(of: label) { item, distance in
      guard distance < least else { return }
      let own = item.suffixes.contains(ending.hash)
      let wide = ending.isAbused || ending.isGeneric || ending.isNetwork
      let length = item.label.count
      let flagged: Bool
      if length == 3, label.count < 3, !item.isAgency {
        // Two letters are always somebody's.
        flagged = false
      } else if onlyOwn || length <= 4 || item.isAgency && !item.isDistinct {
        flagged = own
      } else if length == 5 {
        flagged = own || ending.isAbused
      } else if distance == 1 {
        flagged =
          own || ending.isAbused || wide && item.isDistinct && length >= 8
      } else {
        flagged = own || ending.isAbused
      }
      if flagged {
        least = distance
        best = Match(brand: item.brand, reason: .edit)
      }
    }
    if best == nil { best = withPlural(label, ending, onlyOwn) }
    return best
  }

  /// `amazeson`: `es` put into a name.
  private func withPlural(_ label: [UInt8], _ ending: Ending, _ onlyOwn: Bool) -> Match? {
    guard label.count >= 6 else { return nil }
    for index in 1..<(label.count - 1)
    where label[index] == UInt8(ascii: "e") && label[index + 1] == UInt8(ascii: "s") {
      var shorter = label
      shorter.removeSubrange(index..<(index + 2))
      if let place = place(shorter) {
        let item = guards[place]
        if item.standsEdits, item.suffixes.contains(ending.hash) || !onlyOwn && ending.isAbused {
          return Match(brand: item.brand, reason: .edit)
        }
      }
    }
    return nil
  }

  // MARK: - Hashes

  private func place(_ label: some Sequence<UInt8>) -> Int? {
    let place = exact.value(of: Self.hash(label))
    return place == 0 ? nil : place - 1
  }

  /// What kind of hook a word is; 0 when it is none.
  func word(_ bytes: some Sequence<UInt8>) -> Int { words.value(of: Self.hash(bytes)) }

  /// Whether a word is one that only a scam, or the brand itself, adds.
  func isStrongHook(_ bytes: some Sequence<UInt8>) -> Bool { word(bytes) == Self.strongHook }

  /// Calls `body` with each guarded name that is at most two edits away, and with the distance.
  private func edits(
    of label: [UInt8], atMost limit: Int = 2, _ body: (BrandBook.Guard, Int) -> Void
  ) {
    var seen: [UInt16] = []
    Self.deletions(of: label, two: limit > 1 && label.count >= Self.twoEdits - 2) { hash in
      deletions.each(hash) { place in
        guard !seen.contains(place) else { return }
        seen.append(place)
        let item = guards[Int(place)]
        let allowed = min(limit, item.label.count >= Self.twoEdits && !item.isOtherName ? 2 : 1)
        let distance = EditDistance.between(label, item.label, atMost: allowed)
        if distance >= 1, distance <= allowed { body(item, distance) }
      }
    }
  }

  private static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var hash = StableHash.start
    for byte in bytes { hash = StableHash.step(hash, UInt32(byte)) }
    return hash
  }

  /// The hashes of a label with no, one or two letters left out.
  static func deletions(of label: [UInt8], two: Bool, _ body: (UInt64) -> Void) {
    body(hash(label))
    var front = StableHash.start
    for index in label.indices {
      var rest = front
      for later in label.indices[(index + 1)...] {
        rest = StableHash.step(rest, UInt32(label[later]))
      }
      body(rest)
      if two {
        var between = front
        for second in label.indices[(index + 1)...] {
          var end = between
          for later in label.indices[(second + 1)...] {
            end = StableHash.step(end, UInt32(label[later]))
          }
          body(end)
          between = StableHash.step(between, UInt32(label[second]))
        }
      }
      front = StableHash.step(front, UInt32(label[index]))
    }
  }

  /// The hash of what a label looks like: each letter as the plainest that it passes for, `m` as
  /// `rn`, `w` as `vv`, `d` as `cl`, digits as the letters they stand for.
  private static func visualHash(_ label: some Sequence<UInt8>) -> UInt64 {
    var hash = StableHash.start
    func step(_ letter: UnicodeScalar) { hash = StableHash.step(hash, letter.value) }
    for byte in label {
      switch byte {
      case UInt8(ascii: "m"): step("r"); step("n")
      case UInt8(ascii: "w"): step("v"); step("v")
      case UInt8(ascii: "d"): step("c"); step("l")
      case UInt8(ascii: "i"), UInt8(ascii: "1"): step("l")
      case UInt8(ascii: "0"): step("o")
      case UInt8(ascii: "3"): step("e")
      case UInt8(ascii: "4"): step("a")
      case UInt8(ascii: "5"): step("s")
      case UInt8(ascii: "7"): step("t")
      case UInt8(ascii: "8"): step("b")
      case UInt8(ascii: "9"), UInt8(ascii: "q"): step("g")
      case UInt8(ascii: "2"): step("z")
      default: hash = StableHash.step(hash, UInt32(byte))
      }
    }
    return hash
  }

  /// A label with pairs that pass for one letter put together.
  private static func collapsed(_ label: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    for byte in label {
      switch (result.last, byte) {
      case (UInt8(ascii: "r"), UInt8(ascii: "n")): result[result.count - 1] = UInt8(ascii: "m")
      case (UInt8(ascii: "v"), UInt8(ascii: "v")): result[result.count - 1] = UInt8(ascii: "w")
      case (UInt8(ascii: "c"), UInt8(ascii: "l")), (UInt8(ascii: "c"), UInt8(ascii: "1")):
        result[result.count - 1] = UInt8(ascii: "d")
      default: result.append(byte)
      }
    }
    return result
  }
}

/// Small numbers by hash, written once: a bucket holds those whose hash has the same upper bits.
struct HashBuckets: Sendable {
  private var starts: [UInt32]
  private var entries: [UInt32]
  private let shift: UInt64

  init(_ pairs: [(hash: UInt64, place: UInt16)]) {
    var bits: UInt64 = 4
    while 1 << bits < pairs.count { bits += 1 }
    shift = 64 - bits
    starts = [UInt32](repeating: 0, count: 1 << Int(bits) + 1)
    for pair in pairs { starts[Self.bucket(pair.hash, shift) + 1] += 1 }
    for index in 1..<starts.count { starts[index] += starts[index - 1] }
    entries = [UInt32](repeating: 0, count: pairs.count)
    var next = starts
    for pair in pairs {
      let bucket = Self.bucket(pair.hash, shift)
      entries[Int(next[bucket])] = Self.check(pair.hash) << 16 | UInt32(pair.place)
      next[bucket] += 1
    }
  }

  /// Calls `body` with the numbers of a hash, and rarely with one of another: the caller checks.
  @inline(__always)
  func each(_ hash: UInt64, _ body: (UInt16) -> Void) {
    let bucket = Self.bucket(hash, shift)
    let check = Self.check(hash)
    var index = Int(starts[bucket])
    let end = Int(starts[bucket + 1])
    while index < end {
      if entries[index] >> 16 == check { body(UInt16(truncatingIfNeeded: entries[index])) }
      index += 1
    }
  }

  @inline(__always)
  private static func bucket(_ hash: UInt64, _ shift: UInt64) -> Int {
    Int((hash &* 0x9E37_79B9_7F4A_7C15) >> shift)
  }

  @inline(__always)
  private static func check(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash) & 0xFFFF }
}

/// How many edits are between two names.
enum EditDistance {
  /// The Damerau-Levenshtein distance (adjacent swaps count once), or more than `limit`.
  static func between(_ a: [UInt8], _ b: [UInt8], atMost limit: Int) -> Int {
    guard abs(a.count - b.count) <= limit else { return limit + 1 }
    guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
    var before = [Int](repeating: 0, count: b.count + 1)
    var previous = Array(0...b.count)
    var current = previous
    for i in 1...a.count {
      current[0] = i
      var best = i
      for j in 1...b.count {
        let cost = a[i - 1] == b[j - 1] ? 0 : 1
        var value = min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + cost)
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          value = min(value, before[j - 2] + 1)
        }
        current[j] = value
        best = min(best, value)
      }
      if best > limit { return limit + 1 }
      (before, previous, current) = (previous, current, before)
    }
    return previous[b.count]
  }
}
