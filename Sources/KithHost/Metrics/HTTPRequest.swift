/// The head of an HTTP/1 request, as far as it matters to who serves one page.
struct HTTPRequest: Hashable, Sendable {
  var method: String
  /// The path, without what stands behind a question mark.
  var path: String

  /// The longest head that is read, in bytes.
  static let longestHead = 8 << 10

  /// What bytes come to.
  enum Parsing: Hashable {
    /// The head is not complete yet.
    case incomplete
    case request(HTTPRequest)
    /// This is none, or one that is too long: the status to answer.
    case refused(HTTPResponse.Status)
  }

  /// Reads the head at the beginning of these bytes.
  static func parse(_ bytes: [UInt8]) -> Parsing {
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
    guard hasEnd(bytes) else {
      return bytes.count >= longestHead ? .refused(.tooLarge) : .incomplete
    }
    var words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    if words.last?.last == UInt8(ascii: "\r") { words[words.count - 1].removeLast() }
    guard words.count == 3, words[2].starts(with: Array("HTTP/1.".utf8)), !words[0].isEmpty,
      words[1].first == UInt8(ascii: "/"), line.allSatisfy({ $0 == 0x0D || (0x20...0x7E) ~= $0 })
    else { return .refused(.badRequest) }
    let path = words[1].prefix { $0 != UInt8(ascii: "?") }
    return .request(
      HTTPRequest(
        method: String(decoding: words[0], as: UTF8.self),
        path: String(decoding: path, as: UTF8.self)))
  }

  /// Whether there is the empty line that ends a head.
  private static func hasEnd(_ bytes: [UInt8]) -> Bool {
    var isEmptyLine = false
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        if isEmptyLine { return true }
        isEmptyLine = true
      } else if byte != UInt8(ascii: "\r") {
        isEmptyLine = false
      }
    }
    return false
  }
}

/// An answer that ends the connection.
struct HTTPResponse: Hashable, Sendable {
  /// The status line's number and words.
  enum Status: String, Hashable {
    case ok = "200 OK"
    case badRequest = "400 Bad Request"
    case notFound = "404 Not Found"
    case notAllowed = "405 Method Not Allowed"
    case timeout = "408 Request Timeout"
    case tooLarge = "431 Request Header Fields Too Large"
  }

  var status: Status
  var mediaType = "text/plain; charset=utf-8"
  var body: String
  /// Whether the body is sent; a HEAD wants only its length.
  var sendsBody = true

  /// An answer that says what is wrong.
  static func failure(_ status: Status) -> HTTPResponse {
    HTTPResponse(status: status, body: "\(status.rawValue)\n")
  }

  /// The answer as it is sent.
  var bytes: [UInt8] {
    let body = Array(body.utf8)
    let allow = status == .notAllowed ? "Allow: GET, HEAD\r\n" : ""
    let head =
      "HTTP/1.1 \(status.rawValue)\r\nContent-Type: \(mediaType)\r\n"
      + "Content-Length: \(body.count)\r\n\(allow)Connection: close\r\n\r\n"
    return Array(head.utf8) + (sendsBody ? body : [])
  }
}
