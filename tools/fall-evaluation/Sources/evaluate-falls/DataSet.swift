import FoundationEssentials

/// A recording of a fall or of daily life.
struct Recording {
  var isFall: Bool
  var activity: String
  var description: String
  var subject: String
  var isOlder: Bool
  /// The highest sample at 200 Hz, in g.
  var originalPeak: Double
  var trace: Trace
}

/// Recordings of a folder.
struct DataSet {
  var recordings: [Recording] = []

  /// Reads a folder.
  init(folder: String) throws {
    let root = URL(filePath: folder)
    let bytes = [UInt8](try Data(contentsOf: root.appending(path: "accel_50hz_mg_i16le.bin")))
    let index = String(
      decoding: try Data(contentsOf: root.appending(path: "index.csv")), as: UTF8.self)
    var rows = index.split(whereSeparator: \.isNewline).map { Self.cells(String($0)) }
    let header = rows.removeFirst()
    func column(_ name: String) throws -> Int {
      guard let column = header.firstIndex(of: name) else { throw Missing(column: name) }
      return column
    }
    let (kind, activity, description) = (
      try column("kind"), try column("activity"), try column("description")
    )
    let (subject, group) = (try column("subject"), try column("group"))
    let (count, start, peak) = (
      try column("samples_50hz"), try column("start_50hz"), try column("peak_g_200hz")
    )
    for row in rows where row.count == header.count {
      guard let count = Int(row[count]), let start = Int(row[start]) else { continue }
      func axis(_ sample: Int, _ number: Int) -> Double {
        let place = (sample * 3 + number) * 2
        return Double(Int16(bitPattern: UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8))
          / 1000
      }
      recordings.append(
        Recording(
          isFall: row[kind] == "fall", activity: row[activity], description: row[description],
          subject: row[subject], isOlder: row[group] == "elderly",
          originalPeak: Double(row[peak]) ?? 0,
          trace: Trace(
            rate: 50,
            vectors: (start..<(start + count)).map {
              SIMD3(axis($0, 0), axis($0, 1), axis($0, 2))
            })))
    }
  }

  /// An index without a column that is needed.
  struct Missing: Error, CustomStringConvertible {
    var column: String
    var description: String { "index.csv has no column \(column)" }
  }

  /// The cells of a line of CSV.
  private static func cells(_ line: String) -> [String] {
    var cells = [""]
    var isQuoted = false
    for character in line {
      if character == "\"" {
        isQuoted.toggle()
      } else if character == ",", !isQuoted {
        cells.append("")
      } else {
        cells[cells.count - 1].append(character)
      }
    }
    return cells
  }
}
