import RiskEngineDomain

/// Logistic regression with an L2 penalty, fitted by L-BFGS; the same bytes in every run.
public struct LogisticRegression {
  /// One example: feature values by bucket, a label and a weight.
  public struct Example {
    /// Which buckets have a value.
    public var buckets: [Int32]
    /// The value of each.
    public var values: [Float]
    var isPositive: Bool
    var weight: Double

    /// An example.
    public init(buckets: [Int32], values: [Float], isPositive: Bool, weight: Double) {
      self.buckets = buckets
      self.values = values
      self.isPositive = isPositive
      self.weight = weight
    }
  }

  /// The weights.
  public private(set) var weights: [Double]
  /// The log-odds of an example without features.
  public private(set) var bias: Double

  /// Fits.
  ///
  /// - Parameters:
  ///   - penalty: factor of half the squared length of the weights; the bias is free.
  ///   - progress: called with the number and the loss of each iteration.
  public init(
    examples: [Example], dimensions: Int, penalty: Double, iterations: Int,
    progress: (Int, Double) -> Void = { _, _ in }
  ) {
    let rows = Rows(examples, dimensions: dimensions)
    // The bias is the last element.
    var x = [Double](repeating: 0, count: rows.used.count + 1)
    var gradient = x
    var loss = rows.loss(x, penalty, &gradient)
    var history: [(s: [Double], y: [Double], rho: Double)] = []
    for iteration in 0..<iterations {
      var direction = gradient
      var alphas: [Double] = []
      for entry in history.reversed() {
        let alpha = entry.rho * Self.dot(entry.s, direction)
        alphas.append(alpha)
        Self.add(&direction, entry.y, -alpha)
      }
      if let last = history.last {
        let scale = Self.dot(last.s, last.y) / Self.dot(last.y, last.y)
        for index in direction.indices { direction[index] *= scale }
      }
      for (entry, alpha) in zip(history, alphas.reversed()) {
        let beta = entry.rho * Self.dot(entry.y, direction)
        Self.add(&direction, entry.s, alpha - beta)
      }
      let slope = -Self.dot(gradient, direction)
      guard slope < -1e-9 else { break }
      var step = history.isEmpty ? 1 / max(1, Self.dot(gradient, gradient).squareRoot()) : 1
      var next = x
      var nextGradient = gradient
      var nextLoss = loss
      var tries = 0
      while true {
        for index in x.indices { next[index] = x[index] - step * direction[index] }
        nextLoss = rows.loss(next, penalty, &nextGradient)
        tries += 1
        if nextLoss <= loss + 1e-4 * step * slope || tries > 20 { break }
        step *= 0.5
      }
      var s = next
      var y = nextGradient
      for index in s.indices {
        s[index] -= x[index]
        y[index] -= gradient[index]
      }
      let curvature = Self.dot(s, y)
      if curvature > 1e-12 {
        history.append((s, y, 1 / curvature))
        if history.count > 8 { history.removeFirst() }
      }
      let change = loss - nextLoss
      (x, gradient, loss) = (next, nextGradient, nextLoss)
      progress(iteration, loss)
      if change < 1e-6 * max(1, abs(loss)) { break }
    }
    bias = x[rows.used.count]
    weights = [Double](repeating: 0, count: dimensions)
    for (place, bucket) in rows.used.enumerated() { weights[bucket] = x[place] }
  }

  /// All examples one behind the other, over the buckets that any of them uses.
  private struct Rows {
    var used: [Int] = []
    private var starts: [Int] = [0]
    private var places: [Int32] = []
    private var values: [Float] = []
    private var labels: [(isPositive: Bool, weight: Double)] = []

    init(_ examples: [Example], dimensions: Int) {
      var place = [Int32](repeating: -1, count: dimensions)
      for example in examples {
        for bucket in example.buckets { place[Int(bucket)] = 0 }
      }
      for bucket in place.indices where place[bucket] == 0 {
        place[bucket] = Int32(used.count)
        used.append(bucket)
      }
      for example in examples {
        places += example.buckets.map { place[Int($0)] }
        values += example.values
        starts.append(places.count)
        labels.append((example.isPositive, example.weight))
      }
    }

    /// The penalised loss at `x`, and its gradient.
    func loss(_ x: [Double], _ penalty: Double, _ gradient: inout [Double]) -> Double {
      let bias = x.count - 1
      var loss = 0.0
      x.withUnsafeBufferPointer { x in
        gradient.withUnsafeMutableBufferPointer { gradient in
          places.withUnsafeBufferPointer { places in
            values.withUnsafeBufferPointer { values in
              for index in 0..<bias {
                loss += 0.5 * penalty * x[index] * x[index]
                gradient[index] = penalty * x[index]
              }
              gradient[bias] = 0
              for (number, label) in labels.enumerated() {
                let row = starts[number]..<starts[number + 1]
                var z = x[bias]
                for index in row { z += x[Int(places[index])] * Double(values[index]) }
                let signed = label.isPositive ? z : -z
                let e = DeterministicMath.exponential(-abs(signed))
                loss +=
                  label.weight
                  * (DeterministicMath.logarithm(1 + e) + (signed < 0 ? -signed : 0))
                let p = z >= 0 ? 1 / (1 + e) : e / (1 + e)
                let slope = label.weight * (p - (label.isPositive ? 1 : 0))
                for index in row {
                  gradient[Int(places[index])] += slope * Double(values[index])
                }
                gradient[bias] += slope
              }
            }
          }
        }
      }
      return loss
    }
  }

  private static func dot(_ a: [Double], _ b: [Double]) -> Double {
    var sum = 0.0
    a.withUnsafeBufferPointer { a in
      b.withUnsafeBufferPointer { b in
        for index in a.indices { sum += a[index] * b[index] }
      }
    }
    return sum
  }

  private static func add(_ a: inout [Double], _ b: [Double], _ factor: Double) {
    for index in a.indices { a[index] += factor * b[index] }
  }
}
