/// The words of a text laid beside those of a sentence, so that the fewest letters differ.
struct PhraseAlignment {
  /// The words of the sentence that nothing fits, and those that something fits not exactly.
  private(set) var missed: [Int] = []
  private(set) var changed: [Int] = []
  /// The words of the text that fit nothing, those that fit to the letter, and those that fit by
  /// their sound.
  private(set) var extra: [Int] = []
  private(set) var exact: [Int] = []
  private(set) var homophones: Set<Int> = []
  /// How many letters differ; words of the text that fit nothing are not counted.
  private(set) var distance = 0

  private enum Step {
    case missed, extra
    /// So many words of the text are so many of the sentence.
    case pair(heard: Int, wanted: Int, letters: Int, isSound: Bool)
  }

  /// A word with what it is compared by.
  private struct Form {
    let word: PhraseWord
    let letters: [UInt8]
    let sound: String
    let homophones: Set<String>

    init(_ word: PhraseWord) {
      self.word = word
      letters = Array(word.text.utf8)
      // What is longer than any word of a sentence has no sound that could be one of its.
      sound = word.isNumber || letters.count > 30 ? "" : Sounds.key(word.text)
      homophones = Homophones.of[word.text] ?? []
    }
  }

  init(of heard: [PhraseWord], with wanted: [PhraseWord]) {
    let (said, wants) = (heard.map(Form.init), wanted.map(Form.init))
    // The least cost of the rest from (text, sentence), and the step to take there.
    let width = wanted.count + 1
    var costs = Array(repeating: 0, count: (heard.count + 1) * width)
    var steps = Array(repeating: Step.missed, count: costs.count)
    for i in stride(from: heard.count, through: 0, by: -1) {
      for j in stride(from: wanted.count, through: 0, by: -1) where i + j < heard.count + width - 1
      {
        var best = Int.max
        var step = Step.missed
        func consider(_ cost: Int, _ candidate: Step) {
          if cost < best { (best, step) = (cost, candidate) }
        }
        for (hears, wanting) in Self.shapes
        where i + hears <= heard.count && j + wanting < width {
          guard let fit = Self.fit(said[i..<i + hears], wants[j..<j + wanting]) else { continue }
          consider(
            fit.letters * 2 + costs[(i + hears) * width + j + wanting],
            .pair(heard: hears, wanted: wanting, letters: fit.letters, isSound: fit.isSound))
        }
        if j + 1 < width {
          consider(wants[j].letters.count * 2 + 1 + costs[i * width + j + 1], .missed)
        }
        if i < heard.count {
          let cost = Fillers.contains(heard[i].text) ? 1 : said[i].letters.count * 2 + 1
          consider(cost + costs[(i + 1) * width + j], .extra)
        }
        (costs[i * width + j], steps[i * width + j]) = (best, step)
      }
    }
    walk(steps, width, heard, wanted)
  }

  private mutating func walk(
    _ steps: [Step], _ width: Int, _ heard: [PhraseWord], _ wanted: [PhraseWord]
  ) {
    var (i, j) = (0, 0)
    while i < heard.count || j < wanted.count {
      switch steps[i * width + j] {
      case .missed:
        missed.append(j)
        distance += wanted[j].text.utf8.count
        j += 1
      case .extra:
        extra.append(i)
        i += 1
      case .pair(let hears, let wants, let letters, let isSound):
        if hears == 1, wants == 1, letters == 0, !isSound {
          exact.append(i)
        } else {
          changed.append(contentsOf: j..<j + wants)
          if isSound { homophones.formUnion(i..<i + hears) }
        }
        distance += letters
        (i, j) = (i + hears, j + wants)
      }
    }
  }

  /// One for one, words that were heard in two or three pieces, and two or three heard as one.
  private static let shapes = [(1, 1), (2, 1), (3, 1), (1, 2), (1, 3), (2, 2)]

  /// How many letters differ where words fit; nil where they do not.
  private static func fit(
    _ heard: ArraySlice<Form>, _ wanted: ArraySlice<Form>
  ) -> (letters: Int, isSound: Bool)? {
    guard let first = heard.first, let want = wanted.first else { return nil }
    let isSingle = heard.count == 1 && wanted.count == 1
    if isSingle {
      if first.word == want.word { return (0, false) }
      // "2" for "to"; a number that is wanted has no second form.
      if !want.word.isNumber, want.homophones.contains(first.word.text) { return (0, true) }
    }
    guard heard.allSatisfy({ !$0.word.isNumber && (isSingle || !$0.word.isNegation) }),
      wanted.allSatisfy({ !$0.word.isNumber && !$0.word.isNegation })
    else { return nil }
    let (saying, wanting) = (
      heard.reduce(0) { $0 + $1.letters.count },
      wanted.reduce(0) { $0 + $1.letters.count }
    )
    // Several words at once must be nearly the same letters; else anything fits anything.
    let most = isSingle ? wanting / 2 : heard.count == wanted.count ? 1 : wanting / 4
    if wanted.count == 1, heard.count > 1, saying <= 12,
      want.homophones.contains(heard.map(\.word.text).joined())
    {
      return (0, true)
    }
    let sounds = isSingle && wanting > 2 && first.sound == want.sound
    guard abs(saying - wanting) <= most || sounds else { return nil }
    let letters = editDistance(heard.flatMap(\.letters), wanted.flatMap(\.letters))
    if sounds { return (min(letters, 1), false) }
    return letters <= most ? (letters, false) : nil
  }

  /// The Levenshtein distance.
  static func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var row = Array(0...right.count)
    for (i, a) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, b) in right.enumerated() {
        let cost = min(diagonal + (a == b ? 0 : 1), row[j] + 1, row[j + 1] + 1)
        (diagonal, row[j + 1]) = (row[j + 1], cost)
      }
    }
    return row[right.count]
  }
}
