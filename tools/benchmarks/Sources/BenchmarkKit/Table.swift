/// A table for a person: the first column to the left, all others to the right.
package struct Table {
  private var rows: [[String]]

  package init(_ header: String...) { rows = [header] }

  package init(_ header: [String]) { rows = [header] }

  package mutating func add(_ cells: String...) { rows.append(cells) }

  package mutating func add(_ cells: [String]) { rows.append(cells) }

  package var text: String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      row.indices.map { column in
        let space = String(repeating: " ", count: widths[column] - row[column].count)
        return column == 0 ? row[column] + space : space + row[column]
      }.joined(separator: "  ")
    }.joined(separator: "\n")
  }
}

extension Double {
  /// With thousands marked and as many decimals as asked for: `12,345.6`.
  package func formatted(decimals: Int = 0) -> String {
    guard isFinite else { return "-" }
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let whole = Int((self * scale).rounded())
    let (units, rest) = whole.quotientAndRemainder(dividingBy: Int(scale))
    var digits = String(units.magnitude)
    var grouped = ""
    while digits.count > 3 {
      grouped = "," + digits.suffix(3) + grouped
      digits.removeLast(3)
    }
    let sign = whole < 0 ? "-" : ""
    guard decimals > 0 else { return sign + digits + grouped }
    let fraction = String(rest.magnitude)
    return sign + digits + grouped + "."
      + String(repeating: "0", count: decimals - fraction.count) + fraction
  }
}
