/// Turns tokens into the features of the text model: words, pairs of words, pieces of words of three to
/// five letters, and what is known of links. Training and scoring both run this very code.
public struct FeatureExtractor: Sendable {
  /// The features of a text, token by token.
  public struct Features: Sendable {
    /// One 32-bit number a feature occurrence, in the order of the text.
    public internal(set) var ids: [UInt32] = []
    /// For each token how many of `ids` belong to it and those before it.
    public internal(set) var ends: [Int] = []
  }

  /// Which way features are made; a model is only good for the version that it was trained with.
  public static let version: UInt32 = 1

  /// A word is read this far into pieces; what follows adds nothing, so that the work has a bound.
  static let longestWord = 32

  private static let wordSeed: UInt32 = 0x1000_0001
  private static let pairSeed: UInt32 = 0x2000_0003
  private static let pieceSeed: UInt32 = 0x3000_0005
  private static let hostSeed: UInt32 = 0x4000_0007
  private static let traitSeed: UInt32 = 0x5000_000B

  /// Reads the features.
  static func features(of text: NormalizedText, _ tokenized: TokenizedText) -> Features {
    var features = Features()
    let tokens = tokenized.tokens
    features.ids.reserveCapacity(text.scalars.count * 4)
    features.ends.reserveCapacity(tokens.count)
    var previous: UInt32 = 0x5E
    var link = 0
    for token in tokens {
      var word: UInt32
      switch token.kind {
      case .word:
        word = addWord(text, token.range, &features.ids)
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
      features.ends.append(features.ids.count)
    }
    return features
  }

  private static func addWord(
    _ text: NormalizedText, _ range: Range<Int>, _ ids: inout [UInt32]
  ) -> UInt32 {
    let scalars = text.scalars
    let end = min(range.upperBound, range.lowerBound + longestWord)
    var word = wordSeed
    for index in range.lowerBound..<end {
      word = StableHash.featureStep(word, shape(scalars[index]))
    }
    ids.append(StableHash.featureFinish(word))
    // What stands right before and behind belongs to the pieces: a space, or punctuation.
    let before = range.lowerBound > 0 ? edge(scalars[range.lowerBound - 1]) : 0x20
    let behind = range.upperBound < scalars.count ? edge(scalars[range.upperBound]) : 0x20
    let first = range.lowerBound - 1
    for start in first..<max(first, end - 1) {
      var piece = pieceSeed
      var index = start
      let stop = min(start + 5, end + 1)
      while index < stop {
        let scalar =
          index == first ? before : (index == end ? behind : shape(scalars[index]))
        piece = StableHash.featureStep(piece, scalar)
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
      for index in start..<min(start + 5, host.count) {
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
