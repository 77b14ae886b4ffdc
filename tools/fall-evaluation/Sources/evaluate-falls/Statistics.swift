/// A share with the limits between which it lies in 95 of 100 cases (Wilson).
struct Share: CustomStringConvertible {
  var count: Int
  var total: Int

  init(_ values: some Sequence<Bool>) {
    (count, total) = values.reduce(into: (0, 0)) { sums, value in
      sums.0 += value ? 1 : 0
      sums.1 += 1
    }
  }

  var value: Double { total == 0 ? 0 : Double(count) / Double(total) }

  var limits: (low: Double, high: Double) {
    guard total > 0 else { return (0, 1) }
    let (z, n) = (1.959964, Double(total))
    let middle = (value + z * z / (2 * n)) / (1 + z * z / n)
    let reach = z * (value * (1 - value) / n + z * z / (4 * n * n)).squareRoot() / (1 + z * z / n)
    return (max(0, middle - reach), min(1, middle + reach))
  }

  var description: String {
    guard total > 0 else { return "none" }
    return "\(decimals(value, 3)) (\(decimals(limits.low, 3))-\(decimals(limits.high, 3)))"
  }
}

/// A number with some decimals.
func decimals(_ value: Double, _ count: Int) -> String {
  let scale = (0..<count).reduce(1.0) { product, _ in product * 10 }
  let whole = Int((abs(value) * scale).rounded())
  let text = String(whole % Int(scale))
  let zeros = String(repeating: "0", count: count - text.count)
  return (value < 0 && whole > 0 ? "-" : "") + "\(whole / Int(scale))"
    + (count > 0 ? "." + zeros + text : "")
}
