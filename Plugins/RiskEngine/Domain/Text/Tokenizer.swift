/// Parts a normalised text into words, numbers, sums, telephone numbers and links, and sees through
/// words that are disguised (`g1ft`, `g i f t`, `P****d`).
struct Tokenizer {
  let lexicon: Lexicon
  let reader: LinkReader

  /// How many chunks without spaces a telephone number may take: `+1 (800) 555 01 99`.
  private static let phoneChunks = 6
  /// How many letters a disguised word may have.
  private static let longestDisguise = 24
  /// How many links a chunk without spaces may hold; what follows them is read as words.
  private static let mostLinksInChunk = 4
  /// How many letters words without spaces may have together.
  private static let longestGlued = 40

  /// How far a text has been read.
  private struct Progress {
    var index = 0
    /// Whether a scheme stands apart in front (`https //...`).
    var schemeBefore = false
    /// The chunk in which links were found, by its end, and how many.
    var chunkEnd = 0
    var linksInChunk = 0
    /// A run of single letters is looked at once, also when it makes no words.
    var lettersExamined = 0
  }

  /// Parts the text.
  func tokenize(_ text: NormalizedText) -> TokenizedText {
    var result = TokenizedText()
    let scalars = text.scalars
    result.tokens.reserveCapacity(scalars.count / 4 + 1)
    var progress = Progress()
    while progress.index < scalars.count {
      let index = progress.index
      if scalars[index] == 0x20 {
        progress.index += 1
        continue
      }
      var end = index
      var mayBeLink = progress.schemeBefore
      while end < scalars.count, scalars[end] != 0x20 {
        let scalar = scalars[end]
        if scalar == 0x2E || scalar == 0x2F || scalar == 0x40 || scalar == 0x5D { mayBeLink = true }
        end += 1
      }
      result.work += (end - index) * (mayBeLink ? 2 : 1)
      if let after = speakerOrLetters(text, index..<end, &progress, &result) {
        progress.index = after
        progress.schemeBefore = false
        continue
      }
      if end - index <= 6, end - index >= 4, scalars[index] == 0x68 || scalars[index] == 0x66,
        standsForScheme(scalars, index..<end), let after = skipSlashes(scalars, end)
      {
        progress.index = after
        progress.schemeBefore = true
        continue
      }
      if mayBeLink,
        let found = reader.read(text, index..<end, schemeBefore: progress.schemeBefore)
      {
        progress.schemeBefore = false
        take(found, text, index..<end, &progress, &result)
        continue
      }
      progress.schemeBefore = false
      if let (range, link) = spacedLink(text, index..<end) {
        append(link, range, &result)
        progress.index = range.upperBound
      } else if let after = phone(scalars, index, &result) {
        progress.index = after
      } else {
        words(text, index..<end, &result)
        progress.index = end
      }
    }
    return result
  }

  /// A speaker's name in front of a turn, or letters that stand apart; answers where what follows
  /// begins, nil when the chunk is neither.
  @inline(__always)
  private func speakerOrLetters(
    _ text: NormalizedText, _ chunk: Range<Int>, _ progress: inout Progress,
    _ result: inout TokenizedText
  ) -> Int? {
    let scalars = text.scalars
    if let after = skipSpeaker(scalars, chunk) { return after }
    if chunk.count == 1, chunk.lowerBound >= progress.lettersExamined,
      NormalizedText.isLetterOrDigit(scalars[chunk.lowerBound]),
      let after = joinSpacedLetters(text, chunk.lowerBound, &progress.lettersExamined, &result)
    {
      return after
    }
    guard chunk.count >= 7, let word = lettersApart(scalars, chunk) else { return nil }
    note(.spacedWord, result.tokens.count, &result)
    append(.word, word.number, word.range, &result, .apart)
    // What is left of the chunk is punctuation.
    return chunk.upperBound
  }

  /// A link or an address within a chunk, and the words in front of it.
  private func take(
    _ found: LinkReader.Found, _ text: NormalizedText, _ chunk: Range<Int>,
    _ progress: inout Progress, _ result: inout TokenizedText
  ) {
    let end = chunk.upperBound
    switch found {
    case .link(let range, var link):
      compareWithShown(&link, range, text, result)
      if range.lowerBound > chunk.lowerBound {
        words(text, chunk.lowerBound..<range.lowerBound, &result)
      }
      append(link, range, &result)
      progress.index = max(range.upperBound, chunk.lowerBound + 1)
      if end != progress.chunkEnd { (progress.chunkEnd, progress.linksInChunk) = (end, 0) }
      progress.linksInChunk += 1
      // `[one](another)`: what stands behind is searched again, so often that the work stays
      // linear.
      guard progress.linksInChunk == Self.mostLinksInChunk else { return }
      if progress.index < end { words(text, progress.index..<end, &result) }
    case .email(let range):
      if range.lowerBound > chunk.lowerBound {
        words(text, chunk.lowerBound..<range.lowerBound, &result)
      }
      note(.email, result.tokens.count, &result)
      result.tokens.append(Token(range: range, kind: .email, word: Lexicon.email))
      if range.upperBound < end { words(text, range.upperBound..<end, &result) }
    }
    progress.index = end
  }

  private func append(_ link: Link, _ range: Range<Int>, _ result: inout TokenizedText) {
    var link = link
    link.token = result.tokens.count
    result.links.append(link)
    result.tokens.append(Token(range: range, kind: .link, word: Lexicon.link))
    report(link, &result)
  }
  // MARK: - Words

  /// Scalars of a word without a break, and what was seen of them.
  private struct WordRun {
    var range: Range<Int>
    var hash = StableHash.start
    var letters = 0
    var digits = 0
    /// How many were ASCII letters before folding.
    var plain = 0
    /// Whether a sign follows that may stand for a letter.
    var isJoined = false
    var marks: NormalizedText.Marks = []

    /// The run that begins at the start of `range`.
    @inline(__always)
    init(_ text: NormalizedText, _ range: Range<Int>) {
      let scalars = text.scalars
      let start = range.lowerBound
      var index = start
      while index < range.upperBound {
        let next = scalars[index]
        if Tokenizer.isWordScalar(next) {
          hash = StableHash.step(hash, next)
          if next &- 0x30 < 10 {
            digits += 1
          } else {
            letters += 1
          }
          let mark = text.marks[index]
          if mark.contains(.homoglyph) {
            marks.insert(.homoglyph)
          } else if next &- 0x61 < 26 {
            plain += 1
          }
          if mark.contains(.styled) { marks.insert(.styled) }
          if mark.contains(.overridden) { marks.insert(.overridden) }
          if mark.contains(.afterInvisible), index > start { marks.insert(.afterInvisible) }
        } else if next == 0x27, index + 1 < range.upperBound,
          scalars[index + 1] &- 0x61 < 26, letters > 0
        {
          // `don't` reads as `dont`.
        } else {
          isJoined = Tokenizer.isDisguise(next) && index + 1 < range.upperBound && letters > 0
          break
        }
        index += 1
      }
      self.range = start..<index
    }
  }

  /// Parts a stretch without spaces into words and numbers.
  private func words(_ text: NormalizedText, _ range: Range<Int>, _ result: inout TokenizedText) {
    let scalars = text.scalars
    result.work += range.count
    var index = range.lowerBound
    while index < range.upperBound {
      let scalar = scalars[index]
      if scalar == 0x40 || scalar == 0x24, index + 1 < range.upperBound,
        scalars[index + 1] &- 0x61 < 26,
        let after = disguisedWord(text, index..<range.upperBound, &result)
      {
        index = after
        continue
      }
      if Self.isWordScalar(scalar) {
        index = word(text, index..<range.upperBound, &result)
        continue
      }
      if Self.isCurrency(scalar), let after = sum(scalars, index, range.upperBound, &result) {
        index = after
        continue
      }
      if scalar == 0x2A, index > range.lowerBound,
        index + 1 < range.upperBound
      {
        // `Acc***t`: stars inside a word.
        var end = index
        while end < range.upperBound, scalars[end] == 0x2A { end += 1 }
        if end < range.upperBound, scalars[end] &- 0x61 < 26, scalars[index - 1] &- 0x61 < 26,
          !result.tokens.isEmpty
        {
          note(.maskedWord, result.tokens.count - 1, &result)
        }
        index = end
        continue
      }
      index += 1
    }
  }

  /// A word with signs for letters (`c@rd`, `pa$$word`); nil when the rules know no such word.
  private func disguisedWord(
    _ text: NormalizedText, _ range: Range<Int>, _ result: inout TokenizedText
  ) -> Int? {
    let scalars = text.scalars
    var end = range.lowerBound
    while end < range.upperBound, end - range.lowerBound <= Self.longestDisguise,
      Self.isWordScalar(scalars[end]) || Self.isDisguise(scalars[end])
    {
      end += 1
    }
    result.work += end - range.lowerBound
    while end > range.lowerBound, Self.isDisguise(scalars[end - 1]) { end -= 1 }
    guard end - range.lowerBound <= Self.longestDisguise else { return nil }
    let (word, form) = undisguised(scalars[range.lowerBound..<end])
    guard word != 0 else { return nil }
    note(.leetWord, result.tokens.count, &result)
    append(.word, word, range.lowerBound..<end, &result, form)
    return end
  }

  /// The word or number at the start of `range`; answers where what follows begins.
  private func word(
    _ text: NormalizedText, _ range: Range<Int>, _ result: inout TokenizedText
  ) -> Int {
    let scalars = text.scalars
    let run = WordRun(text, range)
    if run.isJoined, let after = disguisedWord(text, range, &result) { return after }
    let token = result.tokens.count
    if run.letters == 0 { return number(scalars, range.lowerBound, range.upperBound, &result) }
    let (word, form) = known(run, scalars, &result)
    if let after = continuedOrGlued(run, word, scalars, range.upperBound, &result) { return after }
    if word == 0, masked(run, scalars, &result) { return run.range.upperBound }
    append(.word, word, run.range, &result, form)
    if run.marks.contains(.homoglyph), run.plain > 0 { note(.homoglyphWord, token, &result) }
    if run.marks.contains(.styled), run.letters >= 3 { note(.styledWord, token, &result) }
    if run.marks.contains(.afterInvisible), run.letters >= 3 { note(.invisible, token, &result) }
    // `rs500`, `inr2000`, `n100`, `500usd`: a sum in one word.
    if run.digits > 0, word == 0, run.range.count <= 14, Self.isSum(scalars, run.range) {
      result.tokens[token].kind = .money
      result.tokens[token].word = Lexicon.money
      note(.money, token, &result)
    }
    return run.range.upperBound
  }

  /// The number of the word that the run is, with digits for letters or in reverse order too; 0
  /// when the rules know none.
  @inline(__always)
  private func known(
    _ run: WordRun, _ scalars: [UInt32], _ result: inout TokenizedText
  ) -> (word: Int, form: Token.Form) {
    var word = lexicon.number(ofHash: run.hash)
    var form = Token.Form.plain
    if word == 0, run.digits > 0, run.range.count <= Self.longestDisguise {
      (word, form) = undisguised(scalars[run.range])
      if word != 0 {
        note(.leetWord, result.tokens.count, &result)
      } else if Self.looksDisguised(scalars, run.range) {
        form = .leet
      }
    }
    if word == 0, run.marks.contains(.overridden) {
      word = lexicon.number(ofHash: StableHash.word(scalars[run.range].reversed()))
      if word != 0 { form = .reversed }
    }
    return (word, form)
  }

  /// A run that goes on behind a sign, or that is several words without spaces; answers where what
  /// follows begins, nil when it is neither.
  @inline(__always)
  private func continuedOrGlued(
    _ run: WordRun, _ word: Int, _ scalars: [UInt32], _ limit: Int, _ result: inout TokenizedText
  ) -> Int? {
    guard run.digits == 0, word == 0 || !lexicon.isCommon[word] else { return nil }
    let (start, end) = (run.range.lowerBound, run.range.upperBound)
    if let after = continued(scalars, start, end, limit, &result) { return after }
    return word == 0 && run.range.count >= 7 && glued(scalars, run.range, &result) ? end : nil
  }

  /// Digits that somebody masked before passing the text on: `24xxxxxx74`, `XXXXXXXXXX`.
  @inline(__always)
  private func masked(
    _ run: WordRun, _ scalars: [UInt32], _ result: inout TokenizedText
  ) -> Bool {
    if run.digits > 0 {
      guard Self.isMaskedNumber(scalars, run.range) else { return false }
      append(.number, Lexicon.number, run.range, &result)
      return true
    }
    guard run.range.count >= 3, scalars[run.range].allSatisfy({ $0 == 0x78 }) else { return false }
    let token = result.tokens.count
    let kind: Token.Kind = run.range.count >= 7 ? .phone : .number
    append(kind, kind == .phone ? Lexicon.phone : Lexicon.number, run.range, &result)
    note(kind == .phone ? .phone : .number, token, &result)
    return true
  }

  /// Whether a word that the rules do not know has digits for letters: single ones within it.
  private static func looksDisguised(_ scalars: [UInt32], _ range: Range<Int>) -> Bool {
    guard range.count >= 4 else { return false }
    var inner = 0
    var digits = 0
    for index in range where scalars[index] &- 0x30 < 10 {
      digits += 1
      guard Leet.letter(scalars[index], oneIsL: false) != scalars[index] else { return false }
      if index > range.lowerBound, index + 1 < range.upperBound {
        guard !(scalars[index + 1] &- 0x30 < 10) else { return false }
        inner += 1
      }
    }
    return inner > 0 && digits * 2 <= range.count
  }

  /// A word that a dot, hyphen or picture parts (`ver.ify`, `pay-ment`), when the rules know the
  /// whole and not both of its parts.
  private func continued(
    _ scalars: [UInt32], _ start: Int, _ end: Int, _ limit: Int, _ result: inout TokenizedText
  ) -> Int? {
    guard end + 1 < limit, scalars[end] != 0x27, scalars[end] != 0x2C, scalars[end] != 0x3A,
      scalars[end] != 0x2F, !Self.isWordScalar(scalars[end]), scalars[end + 1] &- 0x61 < 26
    else { return nil }
    var hash = StableHash.start
    for index in start..<end { hash = StableHash.step(hash, scalars[index]) }
    let knowsFirst = lexicon.number(ofHash: hash) != 0
    var second = StableHash.start
    var index = end + 1
    while index < limit, scalars[index] &- 0x61 < 26, index - start <= Self.longestDisguise {
      hash = StableHash.step(hash, scalars[index])
      second = StableHash.step(second, scalars[index])
      index += 1
    }
    result.work += index - start
    guard index - start >= 6 else { return nil }
    let word = lexicon.number(ofHash: hash)
    guard word != 0, lexicon.isTelling[word], !knowsFirst || lexicon.number(ofHash: second) == 0
    else { return nil }
    // Hyphens are ordinary: `e-mail`, `pre-approved`.
    if scalars[end] != 0x2D { note(.spacedWord, result.tokens.count, &result) }
    append(.word, word, start..<index, &result, .apart)
    return index
  }

  /// Words without spaces between them (`youraccount`), when the rules know all of them.
  private func glued(
    _ scalars: [UInt32], _ range: Range<Int>, _ result: inout TokenizedText
  ) -> Bool {
    guard range.count <= Self.longestGlued else { return false }
    let count = range.count
    result.work += 16 * count
    // For each length the fewest words that cover it, and where the last of them starts.
    var fewest = [UInt8](repeating: .max, count: count + 1)
    var from = [UInt8](repeating: 0, count: count + 1)
    fewest[0] = 0
    for start in 0..<count where fewest[start] < 20 {
      var hash = StableHash.start
      for end in start..<min(count, start + 16) {
        hash = StableHash.step(hash, scalars[range.lowerBound + end])
        let length = end - start + 1
        guard length >= 2, fewest[start] + 1 < fewest[end + 1] else { continue }
        let word = lexicon.number(ofHash: hash)
        if word != 0, length >= 4 || lexicon.isCommon[word] {
          fewest[end + 1] = fewest[start] + 1
          from[end + 1] = UInt8(start)
        }
      }
    }
    guard fewest[count] < 20, Int(fewest[count]) * 3 <= count else { return false }
    var ends: [Int] = []
    var end = count
    while end > 0 {
      ends.append(end)
      end = Int(from[end])
    }
    var start = range.lowerBound
    for end in ends.reversed() {
      let stop = range.lowerBound + end
      let word = lexicon.number(ofHash: StableHash.word(scalars[start..<stop]))
      append(.word, word, start..<stop, &result)
      start = stop
    }
    return true
  }

  /// Single letters with signs or pictures between them, `a.c.c.o.u.n.t`, that fill a chunk.
  private func lettersApart(
    _ scalars: [UInt32], _ chunk: Range<Int>
  ) -> (number: Int, range: Range<Int>)? {
    var index = chunk.lowerBound
    while index < chunk.upperBound, !Self.isWordScalar(scalars[index]) { index += 1 }
    let start = index
    var hash = StableHash.start
    var letters = 0
    var end = start
    while index < chunk.upperBound, NormalizedText.isLetterOrDigit(scalars[index]) {
      let next = index + 1
      if next < chunk.upperBound, Self.isWordScalar(scalars[next]) { return nil }
      hash = StableHash.step(hash, scalars[index])
      letters += 1
      end = next
      index = next
      while index < chunk.upperBound, !Self.isWordScalar(scalars[index]) { index += 1 }
    }
    guard index >= chunk.upperBound, letters >= 4, letters <= Self.longestDisguise else {
      return nil
    }
    return (lexicon.number(ofHash: hash), start..<end)
  }

  /// `Caller:` or `Speaker 2:` in front of a turn of a transcript says nothing of the turn.
  private func skipSpeaker(_ scalars: [UInt32], _ chunk: Range<Int>) -> Int? {
    let last = scalars[chunk.upperBound - 1]
    guard chunk.count <= 15, chunk.lowerBound == 0 || chunk.count > 2 || last == 0x3A else {
      return nil
    }
    if last == 0x3A {
      let name = StableHash.word(scalars[chunk.lowerBound..<(chunk.upperBound - 1)])
      return Self.speakers.contains(name) ? chunk.upperBound : nil
    }
    // `speaker 1:`
    let next = chunk.upperBound + 1
    guard next + 1 < scalars.count, NormalizedText.isLetterOrDigit(scalars[next]),
      scalars[next + 1] == 0x3A, Self.speakers.contains(StableHash.word(scalars[chunk]))
    else { return nil }
    return next + 2
  }

  private static let speakers: Set<UInt64> = Set(
    [
      "caller", "receiver", "recipient", "callee", "called", "suspect", "innocent", "victim",
      "scammer", "agent", "customer", "representative", "operator", "speaker", "person", "client",
      "user", "you", "them", "a", "b", "answerer", "target", "resident",
    ].map { StableHash.word($0) })

  /// The number of the word that digits and signs stand for; 0 when the rules know none.
  private func undisguised(_ scalars: ArraySlice<UInt32>) -> (word: Int, form: Token.Form) {
    guard scalars.count >= 4, scalars.contains(where: { $0 &- 0x61 < 26 }) else {
      return (0, .plain)
    }
    var changed = false
    for oneIsL in [false, true] {
      var hash = StableHash.start
      for scalar in scalars {
        let letter = Leet.letter(scalar, oneIsL: oneIsL)
        if letter != scalar { changed = true }
        hash = StableHash.step(hash, letter)
      }
      let word = lexicon.number(ofHash: hash)
      if changed, word != 0, lexicon.isTelling[word] { return (word, oneIsL ? .leetWithL : .leet) }
    }
    return (0, .plain)
  }

  /// Letters that stand apart (`g i f t`): the words that they make. A wider gap parts words; where
  /// all gaps are alike the words that the rules know are looked for, and failing that the letters
  /// are one word.
  private func joinSpacedLetters(
    _ text: NormalizedText, _ start: Int, _ examined: inout Int, _ result: inout TokenizedText
  ) -> Int? {
    let scalars = text.scalars
    var letters: [Int] = []
    var index = start
    while index < scalars.count, letters.count < 64 {
      guard NormalizedText.isLetterOrDigit(scalars[index]) else { break }
      let next = index + 1
      letters.append(index)
      guard next < scalars.count else {
        index = next
        break
      }
      guard scalars[next] == 0x20 else {
        // The last letter of the run belongs to a longer word, or a comma follows.
        if NormalizedText.isLetterOrDigit(scalars[next]) { letters.removeLast() }
        break
      }
      index = next + 1
    }
    examined = index
    result.work += index - start
    guard letters.count >= 4,
      letters.count(where: { scalars[$0] &- 0x61 < 26 }) * 3 >= letters.count * 2
    else { return nil }
    var found: [(range: Range<Int>, word: Int)] = []
    var group = 0
    while group < letters.count {
      var end = group + 1
      while end < letters.count, !text.marks[letters[end]].contains(.afterWideGap) { end += 1 }
      found += words(scalars, letters[group..<end])
      group = end
    }
    guard found.contains(where: { $0.range.count >= 7 || lexicon.isTelling[$0.word] }) else {
      return nil
    }
    for (range, word) in found {
      if range.count > 1 { note(.spacedWord, result.tokens.count, &result) }
      append(.word, word, range, &result, .apart)
    }
    return (letters.last ?? start) + 1
  }

  /// The known words that cover letters without a gap, or else all of them as one word.
  private func words(
    _ scalars: [UInt32], _ letters: ArraySlice<Int>
  ) -> [(range: Range<Int>, word: Int)] {
    var found: [(range: Range<Int>, word: Int)] = []
    var position = letters.startIndex
    while position < letters.endIndex {
      var best: (end: Int, word: Int)?
      var hash = StableHash.start
      for end in position..<min(position + 16, letters.endIndex) {
        hash = StableHash.step(hash, scalars[letters[end]])
        let word = lexicon.number(ofHash: hash)
        if word != 0, end - position >= 1 || letters.count < 4 { best = (end, word) }
      }
      guard let best else { break }
      found.append((letters[position]..<(letters[best.end] + 1), best.word))
      position = best.end + 1
    }
    guard position < letters.endIndex, let first = letters.first, let last = letters.last else {
      return found
    }
    return [(first..<(last + 1), 0)]
  }

  // MARK: - Numbers

  /// A number, perhaps with separators; a short one without is a code.
  private func number(
    _ scalars: [UInt32], _ start: Int, _ limit: Int, _ result: inout TokenizedText
  ) -> Int {
    var end = start
    var digits = 0
    var separators = 0
    while end < limit {
      if scalars[end] &- 0x30 < 10 {
        digits += 1
      } else if (0x2C...0x2F).contains(scalars[end]) || scalars[end] == 0x3A, end + 1 < limit,
        scalars[end + 1] &- 0x30 < 10
      {
        separators += 1
      } else {
        break
      }
      end += 1
    }
    let token = result.tokens.count
    if separators == 0 ? (4...8).contains(digits) : digits == 6 && scalars[start + 3] == 0x2D {
      append(.code, Lexicon.code, start..<end, &result)
      note(.code, token, &result)
    } else {
      append(.number, Lexicon.number, start..<end, &result)
      note(.number, token, &result)
    }
    if end < limit, Self.isCurrency(scalars[end]) {
      result.tokens[token].kind = .money
      result.tokens[token].word = Lexicon.money
      note(.money, token, &result)
    }
    return end
  }

  /// A sum behind a currency sign; nil when no number follows.
  private func sum(
    _ scalars: [UInt32], _ start: Int, _ limit: Int, _ result: inout TokenizedText
  ) -> Int? {
    var end = start + 1
    guard end < limit, scalars[end] &- 0x30 < 10 || scalars[end] == 0x78 else { return nil }
    while end < limit,
      scalars[end] &- 0x30 < 10 || scalars[end] == 0x78
        || (scalars[end] == 0x2C || scalars[end] == 0x2E) && end + 1 < limit
          && (scalars[end + 1] &- 0x30 < 10 || scalars[end + 1] == 0x78)
    {
      end += 1
    }
    note(.money, result.tokens.count, &result)
    append(.money, Lexicon.money, start..<end, &result)
    return end
  }

  /// A telephone number over several chunks; nil when there is none.
  private func phone(
    _ scalars: [UInt32], _ start: Int, _ result: inout TokenizedText
  ) -> Int? {
    let first = scalars[start]
    guard first &- 0x30 < 10 || first == 0x2B || first == 0x28 else { return nil }
    var index = start
    var end = start
    var digits = 0
    var spaces = 0
    var marks = 0
    scan: while index < scalars.count {
      let scalar = scalars[index]
      switch scalar {
      case 0x30...0x39:
        digits += 1
        end = index + 1
      case 0x78 where digits > 0: digits += 1; end = index + 1
      case 0x20:
        spaces += 1
        if spaces >= Self.phoneChunks { break scan }
        guard index + 1 < scalars.count else { break scan }
        let next = scalars[index + 1]
        guard next &- 0x30 < 10 || next == 0x28 || next == 0x2D else { break scan }
      case 0x2B, 0x28, 0x29, 0x2D, 0x2E: marks += 1
      default:
        // A letter right behind: `100ml` is no telephone number.
        if scalar &- 0x61 < 26, end == index { return nil }
        break scan
      }
      if digits > 15 { return nil }
      index += 1
      result.work += 1
    }
    guard digits >= 10 || digits >= 7 && digits < 10 && marks + spaces > 0 && scalars[start] != 0x28
    else { return nil }
    // A date or an account in one piece has no business here.
    guard digits <= 15, end > start else { return nil }
    note(.phone, result.tokens.count, &result)
    append(.phone, Lexicon.phone, start..<end, &result)
    return end
  }

  // MARK: - Small parts

  func append(
    _ kind: Token.Kind, _ word: Int, _ range: Range<Int>, _ result: inout TokenizedText,
    _ form: Token.Form = .plain
  ) {
    result.tokens.append(Token(range: range, kind: kind, form: form, word: word))
  }

  func note(_ observation: Observation, _ token: Int, _ result: inout TokenizedText) {
    result.findings.append(Finding(atom: observation.rawValue, first: token, last: token))
  }

  @inline(__always)
  private static func isWordScalar(_ scalar: UInt32) -> Bool {
    if scalar < 0x80 { return scalar &- 0x61 < 26 || scalar &- 0x30 < 10 }
    // Currency signs, punctuation and pictures are not words; letters of any script are.
    if scalar < 0xC0 { return false }
    if scalar &- 0x2000 < 0x1000 { return false }
    if scalar &- 0x3000 < 0x40 { return false }
    if scalar >= 0x1F000 && scalar < 0x20000 { return false }
    return scalar != 0xFFFD
  }

  @inline(__always)
  private static func isDisguise(_ scalar: UInt32) -> Bool {
    scalar == 0x40 || scalar == 0x24 || scalar == 0x21 || scalar == 0x7C || scalar == 0x2B
  }

  @inline(__always)
  private static func isCurrency(_ scalar: UInt32) -> Bool {
    scalar == 0x24 || scalar == 0xA3 || scalar == 0x20AC || scalar == 0x20B9 || scalar == 0xA5
      || scalar == 0x20A6
  }

  /// Digits with letters `x` for those that were masked: `24xxxxxx74`.
  private static func isMaskedNumber(_ scalars: [UInt32], _ range: Range<Int>) -> Bool {
    range.count >= 3 && scalars[range].allSatisfy { $0 &- 0x30 < 10 || $0 == 0x78 }
  }

  /// `rs500`, `inr2000`, `usd50`, `500usd`, `n100`, `rm3`.
  private static func isSum(_ scalars: [UInt32], _ range: Range<Int>) -> Bool {
    guard range.count <= 14 else { return false }
    let word = LinkReader.ascii(scalars[range])
    let letters = word.filter { $0 &- 0x61 < 26 }
    let leading = word.prefix { $0 &- 0x61 < 26 }.count
    let trailing = word.reversed().prefix { $0 &- 0x61 < 26 }.count
    guard letters.count == max(leading, trailing), leading == 0 || trailing == 0 else {
      return false
    }
    return ["rs", "n", "inr", "usd", "gbp", "eur", "aud", "cad", "ngn", "rm", "sgd", "thb"].contains
    {
      letters.elementsEqual($0.utf8)
    }
  }
}
