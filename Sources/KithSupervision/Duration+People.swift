import KithManifest

extension Duration {
  /// The duration as people write it: `30 s`, `1.5 s`, `250 ms`, `2 min`.
  var forPeople: String {
    let milliseconds = inMilliseconds
    if milliseconds < 1000 { return "\(milliseconds) ms" }
    if milliseconds % 60_000 == 0 { return "\(milliseconds / 60_000) min" }
    let tenths = (milliseconds % 1000) / 100
    return tenths == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds / 1000).\(tenths) s"
  }
}
