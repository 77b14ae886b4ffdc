import Crypto
import Glibc

/// What proves an operator to the host: 32 random bytes in a file that only the user of the host
/// can read, and that lies outside of every sandbox.
public struct OperatorToken: Sendable {
  /// The name of the file in the host's folder.
  public static let fileName = "operator.token"

  /// The token, 64 hexadecimal digits.
  public let text: String

  /// A new token.
  public init() {
    text = SymmetricKey(size: .bits256).withUnsafeBytes { bytes in
      bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
  }

  /// The token of a file's text; nil for anything but 64 hexadecimal digits and a newline.
  public init?(fileText: String) {
    let digits = fileText.hasSuffix("\n") ? String(fileText.dropLast()) : fileText
    guard digits.utf8.count == 64,
      digits.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit })
    else { return nil }
    text = digits
  }

  /// The token in a file; nil when there is none that this process can read.
  public init?(path: String) {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { return nil }
    defer { close(file) }
    let bytes = [UInt8](unsafeUninitializedCapacity: 128) { buffer, count in
      count = max(0, read(file, buffer.baseAddress, 128))
    }
    self.init(fileText: String(decoding: bytes, as: UTF8.self))
  }

  /// What the file holds.
  public var fileText: String { text + "\n" }

  /// Whether somebody has shown this token. Takes the same time wherever the first difference is.
  public func accepts(_ shown: String) -> Bool {
    let (own, other) = (SHA256.hash(data: Array(text.utf8)), SHA256.hash(data: Array(shown.utf8)))
    return zip(own, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
