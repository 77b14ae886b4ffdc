import KithJSON

/// A line of a log and where it came from.
struct LogRecord: Hashable, Sendable {
  /// Where a line was written.
  enum Stream: String, Hashable, Sendable {
    case stdout
    case stderr
    /// The host, about the worker.
    case host
  }

  /// When the host read it, in milliseconds since 1970.
  var atMilliseconds: Int64
  /// Which generation of the worker wrote it.
  var generation: UInt64
  var stream: Stream
  /// The line without its newline.
  var text: String

  /// The longest text of a line in bytes; a longer line is broken into several.
  static let maximumTextBytes = 16 << 10

  /// The record as a line of a file: JSON and a newline.
  var encoded: [UInt8] {
    let object: JSONValue = [
      "at_ms": .integer(atMilliseconds), "generation": .unsigned(generation),
      "stream": .string(stream.rawValue), "text": .string(text),
    ]
    return Array(object.text().utf8) + [UInt8(ascii: "\n")]
  }

  init(atMilliseconds: Int64, generation: UInt64, stream: Stream, text: String) {
    self.atMilliseconds = atMilliseconds
    self.generation = generation
    self.stream = stream
    self.text = text
  }

  /// The record of a line; nil when it is none, as one that a full disk cut short.
  init?(encoded line: some Collection<UInt8>) {
    guard let value = try? JSONValue(parsing: Array(line)), case .object(let object) = value,
      let at = object["at_ms"]?.integerValue, let generation = object["generation"]?.integerValue,
      case .string(let streamName)? = object["stream"], let stream = Stream(rawValue: streamName),
      case .string(let text)? = object["text"], generation >= 0
    else { return nil }
    self.init(
      atMilliseconds: at, generation: UInt64(generation), stream: stream, text: text)
  }
}
