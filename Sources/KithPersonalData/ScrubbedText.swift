/// A text in which placeholders stand for personal data.
public struct ScrubbedText: Hashable, Sendable {
  /// A placeholder and what it stands for.
  public struct Replacement: Hashable, Sendable {
    /// What was there.
    public var type: PersonalDataType
    /// Its bytes in the UTF-8 of the original.
    public var original: Range<Int>
    /// The placeholder's bytes in the UTF-8 of the result.
    public var result: Range<Int>
    /// Whether it passed every rule of its type.
    public var isConfirmed: Bool
  }

  /// The text with placeholders, UTF-8.
  public let bytes: [UInt8]
  /// The placeholders in order.
  public let replacements: [Replacement]

  /// The text with placeholders.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// How many of each type were found.
  public var counts: [PersonalDataType: Int] {
    replacements.reduce(into: [:]) { $0[$1.type, default: 0] += 1 }
  }

  /// The types for which nothing of the text may leave the device, neither the scrubbed text nor
  /// features made of it; in the order of their numbers. Empty when it may.
  public var stoppingTypes: [PersonalDataType] {
    Set(replacements.filter { $0.isConfirmed && $0.type.stopsTransmission }.map(\.type))
      .sorted { $0.rawValue < $1.rawValue }
  }
}

extension PersonalDataScanner {
  /// Puts a placeholder in the place of all that is found.
  ///
  /// Scrubbing what is scrubbed changes nothing: what is only found once its neighbour has gone is
  /// found here too.
  public func scrub(_ text: [UInt8]) -> ScrubbedText {
    var findings = findings(in: text)
    var scrubbed = ScrubbedText(text, findings)
    // Each round takes away digits, so there is a last one; a limit all the same keeps time in
    // bounds.
    for _ in 0..<8 where !findings.isEmpty {
      let more = self.findings(in: scrubbed.bytes)
      guard !more.isEmpty else { break }
      findings = scrubbed.merge(more, into: findings)
      scrubbed = ScrubbedText(text, findings)
    }
    return scrubbed
  }

  /// As above, for a string.
  public func scrub(_ text: String) -> ScrubbedText { scrub(Array(text.utf8)) }

  /// The text with placeholders, for those who need no more; the text itself when there is nothing
  /// to be scrubbed.
  public func redacted(_ text: String) -> String {
    let bytes = Array(text.utf8)
    guard Self.mayHoldAny(bytes) else { return text }
    let scrubbed = scrub(bytes)
    return scrubbed.replacements.isEmpty ? text : scrubbed.text
  }

  /// As above, for the value of a field, whose name says what it is: `phone`, `took_ns`.
  public func redacted(_ value: String, named name: String) -> String {
    guard Self.mayHoldAny(Array(value.utf8)) else { return value }
    let prefix = Array("\(name)=".utf8)
    let scrubbed = scrub(prefix + Array(value.utf8))
    // The name is the program's own, and stays as it is.
    guard !scrubbed.replacements.isEmpty, scrubbed.bytes.starts(with: prefix) else { return value }
    return String(decoding: scrubbed.bytes.dropFirst(prefix.count), as: UTF8.self)
  }
}

extension ScrubbedText {
  init(_ text: [UInt8], _ findings: [PersonalDataFinding]) {
    guard !findings.isEmpty else {
      bytes = text
      replacements = []
      return
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var replacements: [Replacement] = []
    var place = 0
    for finding in findings {
      bytes += text[place..<finding.bytes.lowerBound]
      let start = bytes.count
      bytes += finding.type.placeholder.utf8
      replacements.append(
        Replacement(
          type: finding.type, original: finding.bytes, result: start..<bytes.count,
          isConfirmed: finding.isConfirmed))
      place = finding.bytes.upperBound
    }
    bytes += text[place...]
    self.bytes = bytes
    self.replacements = replacements
  }

  /// Adds what was found in the result to what was found in the original. What reaches into a
  /// placeholder takes it along.
  fileprivate func merge(
    _ more: [PersonalDataFinding], into findings: [PersonalDataFinding]
  ) -> [PersonalDataFinding] {
    var merged: [PersonalDataFinding] = []
    var old = 0
    for finding in more {
      // Those that end before it stand as they are.
      while old < replacements.count,
        replacements[old].result.upperBound <= finding.bytes.lowerBound
      {
        merged.append(findings[old])
        old += 1
      }
      var start = original(finding.bytes.lowerBound, behind: old)
      var isConfirmed = finding.isConfirmed
      var type = finding.type
      var last = old
      while last < replacements.count,
        replacements[last].result.lowerBound < finding.bytes.upperBound
      {
        start = min(start, findings[last].bytes.lowerBound)
        // What stops a transmission goes on to.
        if findings[last].isConfirmed, findings[last].type.stopsTransmission {
          type = findings[last].type
          isConfirmed = true
        }
        last += 1
      }
      var end = original(finding.bytes.upperBound, behind: last)
      if last > old { end = max(end, findings[last - 1].bytes.upperBound) }
      merged.append(
        PersonalDataFinding(type: type, bytes: start..<end, isConfirmed: isConfirmed))
      old = last
    }
    merged += findings[old...]
    return merged
  }

  /// A place of the result in the original, where `count` placeholders are before it.
  private func original(_ place: Int, behind count: Int) -> Int {
    guard count > 0 else { return place }
    let last = replacements[count - 1]
    return last.original.upperBound + (place - last.result.upperBound)
  }
}
