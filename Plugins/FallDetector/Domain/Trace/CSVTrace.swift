/// Reads recorded traces: CSV in UTF-8, a header, then a line a sample.
///
/// The header names the columns `time` (seconds) or `time_ns`, and `x`, `y`, `z`, in any order and
/// any case; other columns are skipped. Empty lines and lines that start with `#` are skipped.
///
/// ```
/// time,x,y,z
/// 0.00,0.012,-0.998,0.031
/// 0.02,0.015,-1.001,0.030
/// ```
public enum CSVTrace {
  /// Why a trace cannot be read.
  public struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line, from 1.
    public var line: Int
    /// The column of the table, from 1; 0 when it is about the whole line.
    public var column: Int
    /// What was expected.
    public var description: String
  }

  /// The unit of the columns `x`, `y` and `z`.
  public enum Unit: Sendable, Hashable {
    /// 9.80665 m/s2.
    case standardGravity
    /// Metres a second squared.
    case metresPerSecondSquared

    /// One of the unit in g.
    var inG: Double {
      switch self {
      case .standardGravity: 1
      case .metresPerSecondSquared: 1 / 9.80665
      }
    }
  }

  /// The samples of a trace, in the order of its lines.
  ///
  /// - Parameters:
  ///   - bytes: The text.
  ///   - rateHz: Samples a second, for a trace without a column of time.
  ///   - unit: The unit of the acceleration.
  /// - Throws: `Problem`, with line and column, if a number is missing, not finite, or too large
  ///   for the unit.
  public static func read(
    _ bytes: some Sequence<UInt8>, rateHz: Double? = nil, unit: Unit = .standardGravity
  ) throws(Problem) -> [AccelerationSample] {
    var text = Array(bytes)
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
    var columns: Columns?
    var samples: [AccelerationSample] = []
    let newline = UInt8(ascii: "\n")
    for (index, line) in text.split(separator: newline, omittingEmptySubsequences: false)
      .enumerated()
    {
      let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      guard line.contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }),
        line.first != UInt8(ascii: "#")
      else { continue }
      let row = Row(line, number: index + 1)
      guard let columns else {
        columns = try Columns(row, rateHz: rateHz)
        continue
      }
      samples.append(try columns.sample(in: row, index: samples.count, unit: unit))
    }
    guard columns != nil else {
      throw Problem(
        line: 1, column: 0, description: "expected a header with the columns time, x, y and z")
    }
    return samples
  }

  /// The median rate of some samples in samples a second; 0 for fewer than two instants.
  public static func rateHz(of samples: [AccelerationSample]) -> Double {
    let steps = zip(samples, samples.dropFirst()).compactMap { earlier, later in
      let (step, isOverflow) = later.nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
      return isOverflow || step <= 0 ? nil : step
    }.sorted()
    guard !steps.isEmpty else { return 0 }
    return 1e9 / Double(steps[steps.count / 2])
  }

  // MARK: Rows

  /// A line by its cells.
  private struct Row {
    var number: Int
    var cells: [Substring]

    init(_ line: some Sequence<UInt8>, number: Int) {
      self.number = number
      cells = String(decoding: Array(line), as: UTF8.self)
        .split(separator: ",", omittingEmptySubsequences: false)
        .map { cell in
          var cell = cell[...]
          while let first = cell.first, first.isWhitespace { cell.removeFirst() }
          while let last = cell.last, last.isWhitespace { cell.removeLast() }
          return cell
        }
    }

    func problem(_ column: Int, _ description: String) -> Problem {
      Problem(
        line: number, column: column + 1,
        description: "line \(number), column \(column + 1): \(description)")
    }

    func number(_ column: Int, _ name: String) throws(Problem) -> Double {
      guard cells.indices.contains(column) else {
        throw problem(column, "expected \(name); the line has \(cells.count) columns")
      }
      guard let value = Double(cells[column]), value.isFinite else {
        throw problem(
          column, "expected a number for \(name), found '\(cells[column].prefix(40))'")
      }
      return value
    }
  }

  /// Where a table has what.
  private struct Columns {
    var x: Int
    var y: Int
    var z: Int
    /// The column of time and its unit in nanoseconds.
    var time: (column: Int, nanoseconds: Double)?
    /// Nanoseconds from sample to sample without one.
    var interval: Double

    init(_ header: Row, rateHz: Double?) throws(Problem) {
      let names = header.cells.map { $0.lowercased() }
      func column(_ name: String) throws(Problem) -> Int {
        guard let column = names.firstIndex(of: name) else {
          throw Problem(
            line: header.number, column: 0,
            description: "line \(header.number): expected a header with the column \(name), found '"
              + names.joined(separator: ",").prefix(80) + "'")
        }
        return column
      }
      x = try column("x")
      y = try column("y")
      z = try column("z")
      interval = 0
      if let column = names.firstIndex(of: "time_ns") {
        time = (column, 1)
      } else if let column = names.firstIndex(of: "time") {
        time = (column, 1e9)
      } else if let rateHz, rateHz > 0, rateHz.isFinite {
        interval = 1e9 / rateHz
      } else {
        throw Problem(
          line: header.number, column: 0,
          description: "line \(header.number): expected a column time or time_ns, or a rate")
      }
    }

    func sample(
      in row: Row, index: Int, unit: Unit
    ) throws(Problem) -> AccelerationSample {
      var instant = Double(index) * interval
      if let time {
        instant = try row.number(time.column, "the time") * time.nanoseconds
        guard abs(instant) < 9e18 else {
          throw row.problem(time.column, "expected a time within 292 years of 0")
        }
      }
      let sample = AccelerationSample(
        nanoseconds: try exact(row) ?? Int64(instant.rounded()),
        x: try row.number(x, "x") * unit.inG, y: try row.number(y, "y") * unit.inG,
        z: try row.number(z, "z") * unit.inG)
      guard sample.isPlausible else {
        throw row.problem(
          x,
          "expected at most \(Int(AccelerationSample.largestG)) g, found "
            + "\(Int(min(sample.magnitude, 1e15))) g; give the trace's unit if it is m/s2")
      }
      return sample
    }

    /// Nanoseconds as they are written, which a floating-point number may not hold.
    private func exact(_ row: Row) throws(Problem) -> Int64? {
      guard let time, time.nanoseconds == 1, row.cells.indices.contains(time.column) else {
        return nil
      }
      return Int64(row.cells[time.column])
    }
  }
}
