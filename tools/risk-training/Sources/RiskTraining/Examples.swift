public import RiskEngineDomain

/// Turns texts into examples for training, with the engine's own features.
public enum Examples {
  /// The vector length below which a text is not brought to length one; see `TextModel.Parameters`.
  public static let leastNorm = 9.0

  /// The examples of one text: one for each window that the model will read.
  public static func examples(
    of features: FeatureExtractor.Features, isPositive: Bool, weight: Double
  ) -> [LogisticRegression.Example] {
    let tokens = features.ends.count
    guard tokens > 0 else { return [] }
    var starts = [0]
    while let last = starts.last, last + TextModel.windowTokens < tokens {
      starts.append(last + TextModel.windowTokens / 2)
    }
    let share = weight / Double(starts.count)
    return starts.map { start in
      let end = min(start + TextModel.windowTokens, tokens)
      let ids = features.ids[(start == 0 ? 0 : features.ends[start - 1])..<features.ends[end - 1]]
      return example(ids, isPositive: isPositive, weight: max(share, min(weight, 0.3)))
    }
  }

  /// The example of one window.
  public static func example(
    of features: FeatureExtractor.Features, in window: Range<Int>, isPositive: Bool, weight: Double
  ) -> LogisticRegression.Example {
    let start = window.lowerBound == 0 ? 0 : features.ends[window.lowerBound - 1]
    let end = window.isEmpty ? start : features.ends[window.upperBound - 1]
    return example(features.ids[start..<end], isPositive: isPositive, weight: weight)
  }

  private static func example(
    _ ids: ArraySlice<UInt32>, isPositive: Bool, weight: Double
  ) -> LogisticRegression.Example {
    let sorted = ids.sorted()
    var values: [Int32: Double] = [:]
    var square = 0.0
    var start = 0
    while start < sorted.count {
      var end = start
      while end < sorted.count, sorted[end] == sorted[start] { end += 1 }
      let value = Double(TextModel.dampedCounts[min(end - start, 1023)]) / 65536
      let (bucket, sign) = TextModel.slot(of: sorted[start])
      values[Int32(bucket), default: 0] += Double(sign) * value
      square += value * value
      start = end
    }
    let norm = max(square.squareRoot(), leastNorm)
    let buckets = values.keys.sorted()
    return LogisticRegression.Example(
      buckets: buckets, values: buckets.map { Float((values[$0] ?? 0) / norm) },
      isPositive: isPositive, weight: weight)
  }

  /// Drops the buckets that fewer than `least` examples use: what was seen once says nothing.
  public static func pruned(
    _ examples: [LogisticRegression.Example], least: Int
  ) -> [LogisticRegression.Example] {
    var counts = [Int](repeating: 0, count: TextModel.bucketCount)
    for example in examples {
      for bucket in example.buckets { counts[Int(bucket)] += 1 }
    }
    return examples.map { example in
      let kept = example.buckets.indices.filter { counts[Int(example.buckets[$0])] >= least }
      var pruned = example
      pruned.buckets = kept.map { example.buckets[$0] }
      pruned.values = kept.map { example.values[$0] }
      return pruned
    }
  }
}
