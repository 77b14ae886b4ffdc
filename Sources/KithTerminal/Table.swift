/// Rows of columns, aligned.
package struct Table {
  /// What stands in a cell, and its colour.
  package struct Cell: Equatable {
    /// What stands in it.
    package var text: String
    /// Nil for the terminal's own.
    package var colour: Terminal.Colour?

    /// A cell.
    package init(_ text: String, _ colour: Terminal.Colour? = nil) {
      self.text = text
      self.colour = colour
    }
  }

  /// A column.
  package struct Column {
    /// What stands above it.
    package var title: String
    /// Whether its cells end at the same place, as numbers do.
    package var isNumeric = false

    /// A column.
    package init(title: String, isNumeric: Bool = false) {
      self.title = title
      self.isNumeric = isNumeric
    }
  }

  /// A row, and lines that belong to it and are written below, indented.
  package struct Row {
    /// One for each column.
    package var cells: [Cell]
    /// The lines below.
    package var notes: [Cell] = []

    /// A row.
    package init(cells: [Cell], notes: [Cell] = []) {
      self.cells = cells
      self.notes = notes
    }
  }

  /// The columns, from left to right.
  package var columns: [Column]
  /// The rows, from top to bottom.
  package var rows: [Row]

  /// A table.
  package init(columns: [Column], rows: [Row]) {
    self.columns = columns
    self.rows = rows
  }

  /// The table as lines. Between two columns are two spaces; nothing is written behind the last
  /// one. On a terminal that is too narrow, texts take several lines in their columns; what reads a
  /// pipe finds each whole.
  package func lines(_ terminal: Terminal) -> [String] {
    let widths = widths(terminal)
    func line(_ cells: [Cell]) -> String {
      var line = ""
      for (column, cell) in cells.enumerated() {
        if column > 0 { line += "  " }
        let padding = String(
          repeating: " ", count: max(0, widths[column] - TextWidth.columns(cell.text)))
        let text = terminal.text(cell.text, cell.colour)
        if columns[column].isNumeric {
          line += padding + text
        } else {
          line += column == cells.count - 1 ? text : text + padding
        }
      }
      while line.last == " " { line.removeLast() }
      return line
    }
    var lines = [line(columns.map { Cell($0.title, .faint) })]
    for row in rows {
      let cells = zip(row.cells, widths).map { cell, width in
        TextWidth.cut(cell.text, to: width).map { Cell($0, cell.colour) }
      }
      for number in 0..<(cells.map(\.count).max() ?? 0) {
        lines.append(line(cells.map { number < $0.count ? $0[number] : Cell("") }))
      }
      for note in row.notes {
        lines += TextWidth.wrapped(note.text, width: terminal.width - 4)
          .map { "    " + terminal.text($0, note.colour) }
      }
    }
    return lines
  }

  /// The narrowest that a column of texts becomes.
  private static let narrowest = 8

  /// The columns' widths: as wide as what is in them, the widest of texts narrower where the
  /// terminal has no room.
  private func widths(_ terminal: Terminal) -> [Int] {
    var widths = columns.indices.map { column in
      max(
        TextWidth.columns(columns[column].title),
        rows.map { TextWidth.columns($0.cells[column].text) }.max() ?? 0)
    }
    guard terminal.breaksTables else { return widths }
    let texts = columns.indices.filter { !columns[$0].isNumeric }
    var excess = widths.reduce(2 * (widths.count - 1), +) - terminal.width
    while excess > 0, let widest = texts.max(by: { widths[$0] < widths[$1] }),
      widths[widest] > max(Self.narrowest, TextWidth.columns(columns[widest].title))
    {
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }
}
