extension Duration {
  /// The duration as people write it: `30 s`, `1.5 s`, `250 ms`, `2 min`.
  var forPeople: String {
    let milliseconds = components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    if milliseconds < 1000 { return "\(milliseconds) ms" }
    if milliseconds % 60_000 == 0 { return "\(milliseconds / 60_000) min" }
    let tenths = (milliseconds % 1000) / 100
    return tenths == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds / 1000).\(tenths) s"
  }
}
