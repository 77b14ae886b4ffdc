import FoundationEssentials
import KithRPC

/// The files of secrets and certificates that a product names.
enum CredentialFiles {
  private static let mostBytes = 1 << 20

  /// The content of a file.
  /// - Throws: INVALID_ARGUMENT that names the key.
  static func bytes(_ path: String, key: String) throws(RPCError) -> [UInt8] {
    guard path.hasPrefix("/"), let data = FileManager.default.contents(atPath: path),
      !data.isEmpty, data.count <= mostBytes
    else {
      throw .invalidArgument(
        field: "configuration.\(key)",
        "expected the path of a file that the worker can read, below /etc")
    }
    return Array(data)
  }

  /// The first line of a file.
  static func line(_ path: String, key: String) throws(RPCError) -> String {
    let bytes = try bytes(path, key: key)
    let line = String(validating: bytes, as: UTF8.self)?.split(whereSeparator: \.isNewline).first
    guard let line, !line.isEmpty else {
      throw .invalidArgument(field: "configuration.\(key)", "the file has no text")
    }
    return String(line)
  }

  /// The certificates of a file: one in DER, or any number in PEM.
  static func certificates(_ path: String, key: String) throws(RPCError) -> [[UInt8]] {
    let bytes = try bytes(path, key: key)
    // DER begins with the tag of a sequence.
    if bytes[0] == 0x30 { return [bytes] }
    let text = String(decoding: bytes, as: UTF8.self)
    var found: [[UInt8]] = []
    for part in text.split(separator: "-----BEGIN CERTIFICATE-----").dropFirst() {
      let body = part.split(separator: "-----END CERTIFICATE-----").first ?? ""
      let digits = body.split(whereSeparator: \.isWhitespace).joined()
      guard let data = Data(base64Encoded: digits) else { continue }
      found.append(Array(data))
    }
    guard !found.isEmpty else {
      throw .invalidArgument(
        field: "configuration.\(key)", "expected certificates in DER or PEM")
    }
    return found
  }
}
