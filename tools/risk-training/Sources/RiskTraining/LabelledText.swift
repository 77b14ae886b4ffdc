public import Foundation

/// One line of a data file.
public struct LabelledText: Codable, Sendable {
  /// The name of the text in its file.
  public var id: String
  /// Where it comes from.
  public var source: String
  /// `sms`, `email`, `voicemail_or_call`, `web` or `letter`.
  public var channel: String
  /// `scam`, `spam` (marketing) or `legit`.
  public var label: String
  /// The text.
  public var text: String

  /// A text with its label.
  public init(id: String, source: String, channel: String, label: String, text: String) {
    self.id = id
    self.source = source
    self.channel = channel
    self.label = label
    self.text = text
  }

  /// Whether it is a scam. Marketing is not.
  public var isScam: Bool { label == "scam" }

  /// Reads a file of one JSON object a line.
  ///
  /// - Throws: `ToolError` naming file and line.
  public static func read(_ url: URL) throws -> [LabelledText] {
    guard let data = FileManager.default.contents(atPath: url.path) else {
      throw ToolError("\(url.path): no such file; --data names the folder that holds it")
    }
    let decoder = JSONDecoder()
    return try data.split(separator: UInt8(ascii: "\n")).enumerated().map { number, line in
      do {
        return try decoder.decode(LabelledText.self, from: line)
      } catch {
        throw ToolError(
          "\(url.path):\(number + 1): expected an object with id, source, channel, label and text")
      }
    }
  }
}

/// What a tool says before it gives up.
public struct ToolError: Error, CustomStringConvertible {
  /// What is wrong and what to do.
  public var description: String

  /// An error with its text.
  public init(_ description: String) { self.description = description }
}
