/// A logistic regression over hashed features: weights of 16 bits, and a score that is integer
/// arithmetic until one division, so that it is the same everywhere.
public struct TextModel: Sendable {
  /// What the trainer has found, beside the weights.
  public struct Parameters: Sendable, Hashable {
    /// What one unit of a weight is worth.
    public var unit: Double
    /// The log-odds of a text without features.
    public var bias: Double
    /// Below this length the feature vector is not brought to length one but to less, so that a few
    /// words say little.
    public var leastNorm: Double
    /// Calibration (Platt): log-odds = slope x raw + offset.
    public var calibrationSlope: Double
    /// The other half of the calibration.
    public var calibrationOffset: Double
    /// The share of the model in the blend with the rules, 0 to 1.
    public var share: Double
    /// What the blend adds to the log-odds.
    public var blendOffset: Double
    /// Factor of the blended log-odds.
    public var blendSlope: Double

    /// All parameters.
    public init(
      unit: Double, bias: Double, leastNorm: Double, calibrationSlope: Double,
      calibrationOffset: Double, share: Double, blendOffset: Double, blendSlope: Double
    ) {
      self.unit = unit
      self.bias = bias
      self.leastNorm = leastNorm
      self.calibrationSlope = calibrationSlope
      self.calibrationOffset = calibrationOffset
      self.share = share
      self.blendOffset = blendOffset
      self.blendSlope = blendSlope
    }
  }

  /// How many buckets features are hashed into.
  public static let bucketCount = 1 << 18
  /// The words of a window. Long texts are read window by window, so that padding cannot hide a
  /// scam.
  public static let windowTokens = 64
  static let windowStride = 8
  /// Windows begin at least so many words apart.
  static let leastStride = 4
  /// In texts with more words than this, windows begin half as often.
  static let longTextTokens = 1024

  /// The parameters.
  public var parameters: Parameters
  private let weights: [Int16]

  /// A model of `bucketCount` weights.
  public init(parameters: Parameters, weights: [Int16]) {
    precondition(weights.count == Self.bucketCount, "a model has \(Self.bucketCount) weights")
    self.parameters = parameters
    self.weights = weights
  }

  /// The bucket and the sign of a feature.
  @inline(__always)
  public static func slot(of id: UInt32) -> (bucket: Int, sign: Int) {
    (Int(id & UInt32(bucketCount - 1)), id >> 31 == 0 ? 1 : -1)
  }

  /// 1 + ln(n) in 16.16 fixed point: what a feature that occurs n times counts.
  public static let dampedCounts: [Int64] = (0..<1024).map { count in
    guard count > 0 else { return 0 }
    let value = (1 + DeterministicMath.logarithm(Double(count))) * 65536
    return Int64(value.rounded(.toNearestOrEven))
  }

  /// What the n+1st occurrence of a feature adds to its value, and to the square of its value.
  private static let steps: [(value: Int64, square: Int64)] = (0..<1024).map { count in
    let old = dampedCounts[count]
    let new = dampedCounts[min(count + 1, 1023)]
    return (new - old, new * new - old * old)
  }

  /// The model's word on a text.
  struct Verdict {
    /// Uncalibrated log-odds: the largest over windows and their beginnings.
    var raw: Double
    /// The tokens of the window it was found in.
    var window: Range<Int>
    /// How many features were read, each as often as it was.
    var work = 0
  }

  /// Where windows begin: at the first word, then at sentences, and where those are long every
  /// `windowStride` words. They begin up to the last words: a scam at the end is also read without
  /// what stands in front of it.
  static func starts(_ features: FeatureExtractor.Features) -> [Int] {
    let tokens = features.ends.count
    let factor = tokens > longTextTokens ? 2 : 1
    let stride = factor * windowStride
    let least = factor * leastStride
    var starts = [0]
    var last = 0
    for sentence in features.sentences + [tokens] {
      while sentence - last > stride + least, tokens > windowTokens {
        last += stride
        starts.append(last)
      }
      guard sentence < tokens, sentence - last >= least else { continue }
      last = sentence
      starts.append(last)
    }
    return starts
  }

  /// What the reading of windows goes by, without checks of bounds.
  private struct Tables {
    /// How often each feature was seen in the window.
    var counts: UnsafeMutableBufferPointer<UInt16>
    /// The signed weight of each feature.
    var weights: UnsafeBufferPointer<Int32>
    /// For each occurrence of a feature its number.
    var numbers: UnsafeBufferPointer<UInt32>
    var steps: UnsafeBufferPointer<(value: Int64, square: Int64)>
    /// The least square of a window's length.
    var leastSquare: Int64
  }

  /// Reads all windows of a text.
  ///
  /// A window's score is taken at the end of every sentence, and in a long text every
  /// `windowStride` words, so that text added behind does not lower the verdict.
  func verdict(on features: FeatureExtractor.Features) -> Verdict {
    let tokens = features.ends.count
    var best = Verdict(raw: parameters.bias, window: 0..<0)
    guard tokens > 0 else { return best }
    let starts = Self.starts(features)
    // A feature is looked up once, however many windows it is in.
    let numbered = NumberedFeatures(features.ids, weights)
    var work = features.ids.count
    var counts = [UInt16](repeating: 0, count: numbered.weights.count)
    let least = Int64((parameters.leastNorm * 65536).rounded(.toNearestOrEven))
    counts.withUnsafeMutableBufferPointer { counts in
      numbered.weights.withUnsafeBufferPointer { weights in
        numbered.numbers.withUnsafeBufferPointer { numbers in
          Self.steps.withUnsafeBufferPointer { steps in
            let tables = Tables(
              counts: counts, weights: weights, numbers: numbers, steps: steps,
              leastSquare: least * least)
            var sentence = 0
            for (window, start) in starts.enumerated() {
              while sentence < features.sentences.count, features.sentences[sentence] <= start {
                sentence += 1
              }
              let read = read(
                start..<min(start + Self.windowTokens, tokens), of: features, from: sentence,
                tables, &best)
              work += read.count
              if window + 1 < starts.count {
                for index in read { counts[Int(numbers[index])] = 0 }
              }
            }
          }
        }
      }
    }
    best.work = work
    return best
  }

  /// Reads one window, whose next end of a sentence is the one of that number; answers which
  /// occurrences of features it has.
  @inline(__always)
  private func read(
    _ window: Range<Int>, of features: FeatureExtractor.Features, from firstSentence: Int,
    _ tables: Tables, _ best: inout Verdict
  ) -> Range<Int> {
    let isLong = features.ends.count > Self.windowTokens
    let first = window.lowerBound == 0 ? 0 : features.ends[window.lowerBound - 1]
    var sentence = firstSentence
    var dot: Int64 = 0
    var square: Int64 = 0
    var index = first
    for token in window {
      let end = features.ends[token]
      while index < end {
        let number = Int(tables.numbers[index])
        index += 1
        let count = Int(tables.counts[number])
        tables.counts[number] = UInt16(truncatingIfNeeded: min(count + 1, 1023))
        let step = tables.steps[count]
        dot &+= Int64(tables.weights[number]) &* step.value
        square &+= step.square
      }
      // The end of a sentence, and in a long text of every few words, is an end of its own.
      if token + 1 < window.upperBound {
        while sentence < features.sentences.count, features.sentences[sentence] <= token {
          sentence += 1
        }
        let closes =
          sentence < features.sentences.count && features.sentences[sentence] == token + 1
        guard closes || isLong && (token + 1 - window.lowerBound) % Self.windowStride == 0 else {
          continue
        }
      }
      let norm = Double(max(square, tables.leastSquare)).squareRoot()
      let raw = parameters.bias + parameters.unit * (Double(dot) / norm)
      if raw > best.raw { best = Verdict(raw: raw, window: window.lowerBound..<(token + 1)) }
    }
    return first..<index
  }
  /// The raw log-odds of a text's worst window, and the window, for training.
  public func worstWindow(
    of features: FeatureExtractor.Features
  ) -> (raw: Double, window: Range<Int>) {
    let verdict = verdict(on: features)
    return (verdict.raw, verdict.window)
  }

  /// How much each token of a window speaks for a scam, in units that only compare.
  func contributions(of features: FeatureExtractor.Features, in window: Range<Int>) -> [Int64] {
    var result: [Int64] = []
    result.reserveCapacity(window.count)
    var index = window.lowerBound == 0 ? 0 : features.ends[window.lowerBound - 1]
    for token in window {
      var sum: Int64 = 0
      while index < features.ends[token] {
        let (bucket, sign) = Self.slot(of: features.ids[index])
        sum += Int64(sign) * Int64(weights[bucket])
        index += 1
      }
      result.append(sum)
    }
    return result
  }

  /// The calibrated log-odds, no further from 0 than those of 999 in 1,000: nothing that the model
  /// was fitted to says more, and a feature vector does not either.
  func calibrated(_ raw: Double) -> Double {
    let logOdds = parameters.calibrationSlope * raw + parameters.calibrationOffset
    return max(-Self.largestLogOdds, min(Self.largestLogOdds, logOdds))
  }

  private static let largestLogOdds = DeterministicMath.logarithm(999)
}

// MARK: - The file

extension TextModel {
  /// A model file that cannot be read, and why.
  public struct FileError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, what was expected, and what to do.
    public var description: String
  }

  private static let magic: [UInt8] = Array("KITHRISK".utf8)
  private static let headerBytes = 8 + 8 + 8 * 8

  /// The file's bytes: magic, feature version, bucket count, eight parameters, weights;
  /// little-endian.
  public func encoded() -> [UInt8] {
    var bytes = Self.magic
    bytes.reserveCapacity(Self.headerBytes + 2 * weights.count)
    func put(_ value: UInt64, _ count: Int) {
      for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
    }
    put(UInt64(FeatureExtractor.version), 4)
    put(UInt64(Self.bucketCount), 4)
    for value in [
      parameters.unit, parameters.bias, parameters.leastNorm, parameters.calibrationSlope,
      parameters.calibrationOffset, parameters.share, parameters.blendOffset,
      parameters.blendSlope,
    ] {
      put(value.bitPattern, 8)
    }
    for weight in weights { put(UInt64(UInt16(bitPattern: weight)), 2) }
    return bytes
  }

  /// Reads a model file.
  ///
  /// - Throws: `FileError` when the file is cut short, is of another kind, or was trained with
  ///   other features.
  public init(decoding bytes: [UInt8]) throws(FileError) {
    let expected = Self.headerBytes + 2 * Self.bucketCount
    guard bytes.starts(with: Self.magic) else {
      throw FileError(description: "the model file does not start with KITHRISK; train it again")
    }
    guard bytes.count == expected else {
      throw FileError(
        description: "the model file has \(bytes.count) bytes, expected \(expected); train it again"
      )
    }
    func get(_ offset: Int, _ count: Int) -> UInt64 {
      (0..<count).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
    }
    guard get(8, 4) == UInt64(FeatureExtractor.version), get(12, 4) == UInt64(Self.bucketCount)
    else {
      throw FileError(
        description:
          "the model file was trained with features of version \(get(8, 4)), expected "
          + "\(FeatureExtractor.version); run tools/train-risk")
    }
    let values = (0..<8).map { Double(bitPattern: get(16 + 8 * $0, 8)) }
    guard values.allSatisfy(\.isFinite) else {
      throw FileError(description: "the model file has a parameter that is no number")
    }
    let weights = bytes.withUnsafeBufferPointer { buffer in
      [Int16](unsafeUninitializedCapacity: Self.bucketCount) { output, count in
        for index in 0..<Self.bucketCount {
          let at = Self.headerBytes + 2 * index
          output[index] = Int16(
            bitPattern: UInt16(buffer[at]) | UInt16(buffer[at + 1]) << 8)
        }
        count = Self.bucketCount
      }
    }
    self.init(
      parameters: Parameters(
        unit: values[0], bias: values[1], leastNorm: values[2], calibrationSlope: values[3],
        calibrationOffset: values[4], share: values[5], blendOffset: values[6],
        blendSlope: values[7]),
      weights: weights)
  }
}
