/// Turns tokens into the features of the text model: words, pairs of words, pieces of words of
/// three and four letters, what is known of links, and the phrase lists of the rules. Training and
/// scoring both run this very code.
public struct FeatureExtractor: Sendable {
  /// The features of a text, token by token.
  public struct Features: Sendable {
    /// One 32-bit number a feature occurrence, in the order of the text.
    public internal(set) var ids: [UInt32] = []
    /// For each token how many of `ids` belong to it and those before it.
    public internal(set) var ends: [Int] = []
    /// The tokens with which sentences begin, but for the first.
    public internal(set) var sentences: [Int] = []
  }

  /// Which way features are made; a model is only good for the version that it was trained with.
  public static let version: UInt32 = 2

  /// A word is read this far into pieces; what follows adds nothing, so that the work has a bound.
  static let longestWord = 32
  /// Pieces of words have three to this many letters.
  static let longestPiece = 4

  private static let atomSeed: UInt32 = 0x6000_000D
  private static let sentenceStart: UInt32 = 0x5E

  private static let wordSeed: UInt32 = 0x1000_0001
  private static let pairSeed: UInt32 = 0x2000_0003
  private static let pieceSeed: UInt32 = 0x3000_0005
  private static let hostSeed: UInt32 = 0x4000_0007
  private static let traitSeed: UInt32 = 0x5000_000B

  /// Reads the features.
  ///
  /// - Parameters:
  ///   - findings: what the rules found, in the order of the words that they end with.
  ///   - atomFeatures: for each atom its feature.
  static func features(
    of text: NormalizedText, _ tokenized: TokenizedText, findings: [Finding],
    atomFeatures: [UInt32]
  ) -> Features {
    var features = Features()
    let tokens = tokenized.tokens
    features.ids.reserveCapacity(text.scalars.count * 4)
    features.ends.reserveCapacity(tokens.count)
    var previous = sentenceStart
    var link = 0
    var letters: [UInt32] = []
    var end = 0
    var finding = 0
    for token in tokens {
      if startsSentence(text, from: end, to: token.range.lowerBound) {
        previous = sentenceStart
        features.sentences.append(features.ends.count)
      }
      end = token.range.upperBound
      var word: UInt32
      switch token.kind {
      case .word:
        word = addWord(text, token, &letters, &features.ids)
      case .link:
        word = hash(wordSeed, "<link>")
        features.ids.append(StableHash.featureFinish(word))
        while link < tokenized.links.count, tokenized.links[link].token < features.ends.count {
          link += 1
        }
        if link < tokenized.links.count { addLink(tokenized.links[link], &features.ids) }
      case .number, .code, .money, .phone, .email:
        word = hash(wordSeed, Lexicon.placeholders[token.word - 1])
        features.ids.append(StableHash.featureFinish(word))
        if token.kind == .number || token.kind == .code {
          let shape = StableHash.featureStep(word, UInt32(min(token.range.count, 12)))
          features.ids.append(StableHash.featureFinish(shape))
        } else if token.kind == .money {
          let sign = StableHash.featureStep(
            word, text.scalars[token.range.lowerBound] | 0x8000_0000)
          features.ids.append(StableHash.featureFinish(sign))
        }
      }
      let pair = StableHash.featureStep(StableHash.featureStep(pairSeed, previous), word)
      features.ids.append(StableHash.featureFinish(pair))
      previous = word
      var last = -1
      while finding < findings.count, findings[finding].last <= features.ends.count {
        // A list that two of its phrases fulfil here counts once.
        if findings[finding].atom != last {
          last = findings[finding].atom
          if atomFeatures[last] != 0 { features.ids.append(atomFeatures[last]) }
        }
        finding += 1
      }
      features.ends.append(features.ids.count)
    }
    return features
  }

  /// The feature that a phrase list or an observation is to the model.
  static func feature(ofAtom name: String) -> UInt32 {
    StableHash.featureFinish(hash(atomSeed, name))
  }

  /// Whether a sentence ends between two tokens: a full stop, a new line, or the name of a speaker.
  @inline(__always)
  private static func startsSentence(_ text: NormalizedText, from end: Int, to start: Int) -> Bool {
    guard end > 0, start > end else { return false }
    if text.marks[start].contains(.afterLineBreak) { return true }
    var index = end
    while index < start {
      let scalar = text.scalars[index]
      if scalar == 0x2E || scalar == 0x21 || scalar == 0x3F { return true }
      if scalar == 0x3A, index > end { return true }
      index += 1
    }
    return false
  }

  /// The scalars of a word as it is read: what stands for letters as letters, what stands between
  /// them left out.
  private static func letters(
    _ text: NormalizedText, _ token: Token, _ into: inout [UInt32]
  ) {
    into.removeAll(keepingCapacity: true)
    let scalars = text.scalars
    switch token.form {
    case .plain:
      let end = min(token.range.upperBound, token.range.lowerBound + longestWord)
      for index in token.range.lowerBound..<end { into.append(shape(scalars[index])) }
    case .leet, .leetWithL:
      for index in token.range.prefix(longestWord) {
        into.append(shape(Leet.letter(scalars[index], oneIsL: token.form == .leetWithL)))
      }
    case .apart:
      for index in token.range where NormalizedText.isLetterOrDigit(scalars[index]) {
        if into.count == longestWord { break }
        into.append(shape(scalars[index]))
      }
    case .reversed:
      for index in token.range.reversed().prefix(longestWord) {
        into.append(shape(scalars[index]))
      }
    }
  }

  private static func addWord(
    _ text: NormalizedText, _ token: Token, _ letters: inout [UInt32], _ ids: inout [UInt32]
  ) -> UInt32 {
    Self.letters(text, token, &letters)
    let scalars = text.scalars
    var word = wordSeed
    for letter in letters { word = StableHash.featureStep(word, letter) }
    ids.append(StableHash.featureFinish(word))
    // What stands right before and behind belongs to the pieces: a space, or punctuation.
    let range = token.range
    let before = range.lowerBound > 0 ? edge(scalars[range.lowerBound - 1]) : 0x20
    let behind = range.upperBound < scalars.count ? edge(scalars[range.upperBound]) : 0x20
    let count = letters.count
    for start in -1..<max(-1, count - 1) {
      var piece = pieceSeed
      var index = start
      let stop = min(start + longestPiece, count + 1)
      while index < stop {
        piece = StableHash.featureStep(
          piece, index < 0 ? before : (index == count ? behind : letters[index]))
        index += 1
        if index - start >= 3 { ids.append(StableHash.featureFinish(piece)) }
      }
    }
    return word
  }

  private static func addLink(_ link: Link, _ ids: inout [UInt32]) {
    var bits = link.traits.rawValue
    while bits != 0 {
      let bit = UInt32(bits.trailingZeroBitCount)
      ids.append(StableHash.featureFinish(StableHash.featureStep(traitSeed, bit)))
      bits &= bits - 1
    }
    ids.append(
      StableHash.featureFinish(StableHash.featureStep(traitSeed, link.hasPath ? 0x40 : 0x41)))
    guard link.traits.isDisjoint(with: [.official, .agency, .popular]) else { return }
    var top = StableHash.featureStep(traitSeed, 0x50)
    for byte in link.host[link.topLevelStart...] { top = StableHash.featureStep(top, UInt32(byte)) }
    ids.append(StableHash.featureFinish(top))
    let host = link.host.prefix(longestWord)
    for start in host.indices where host.count - start >= 3 {
      var piece = hostSeed
      for index in start..<min(start + longestPiece, host.count) {
        piece = StableHash.featureStep(piece, shape(UInt32(host[index])))
        if index - start >= 2 { ids.append(StableHash.featureFinish(piece)) }
      }
    }
  }

  @inline(__always)
  private static func shape(_ scalar: UInt32) -> UInt32 {
    scalar &- 0x30 < 10 ? 0x30 : scalar
  }

  @inline(__always)
  private static func edge(_ scalar: UInt32) -> UInt32 {
    NormalizedText.isLetterOrDigit(scalar) ? 0x20 : scalar
  }

  private static func hash(_ seed: UInt32, _ word: String) -> UInt32 {
    word.utf8.reduce(seed) { StableHash.featureStep($0, UInt32($1)) }
  }
}
