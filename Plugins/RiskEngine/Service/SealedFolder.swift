import Crypto
import FoundationEssentials

/// A folder whose files are named with their checksums in `SHA256SUMS`, as `sha256sum` writes it. A
/// file that is not named there does not exist; one that is must be as it says.
struct SealedFolder {
  private static let listName = "SHA256SUMS"

  private let folder: String
  private let checksums: [String: String]

  /// The names of its files, sorted.
  var names: [String] { checksums.keys.sorted() }

  /// Reads the list.
  ///
  /// - Throws: `ResourceError` when it is missing or damaged.
  init(_ folder: String) throws(ResourceError) {
    self.folder = folder
    let text = String(
      decoding: try Self.read(folder, Self.listName), as: UTF8.self)
    var checksums: [String: String] = [:]
    for (number, line) in text.split(separator: "\n").enumerated() {
      let fields = line.split(separator: " ", maxSplits: 1).map {
        $0.drop { $0 == " " || $0 == "*" }
      }
      guard fields.count == 2, fields[0].utf8.count == 64, !fields[1].contains("/") else {
        throw ResourceError(
          "\(folder)/\(Self.listName):\(number + 1): expected a checksum and the name of a file; "
            + "run tools/seal-risk-bundle")
      }
      checksums[String(fields[1])] = String(fields[0])
    }
    self.checksums = checksums
  }

  /// The checksum that the list has of a file.
  func checksum(of name: String) -> String? { checksums[name] }

  /// The bytes of a file.
  ///
  /// - Throws: `ResourceError` when it is missing or its checksum is another.
  func bytes(_ name: String) throws(ResourceError) -> [UInt8] {
    guard let expected = checksums[name] else {
      throw ResourceError(
        "\(folder)/\(Self.listName): \(name) is not named; install the plugin again, or run "
          + "tools/seal-risk-bundle after a change")
    }
    let bytes = try Self.read(folder, name)
    let checksum = SHA256.hash(data: bytes).hexadecimal
    guard checksum == expected else {
      throw ResourceError(
        "\(folder)/\(name): the checksum is \(checksum), but \(Self.listName) says \(expected); the file is "
          + "damaged: install the plugin again, or run tools/seal-risk-bundle after a change")
    }
    return bytes
  }

  /// A file in JSON.
  ///
  /// - Throws: `ResourceError` naming the file, and the key that is wrong.
  func decode<Value: Decodable>(_ type: Value.Type, _ name: String) throws(ResourceError) -> Value {
    let bytes = try bytes(name)
    do {
      return try JSONDecoder().decode(type, from: Data(bytes))
    } catch DecodingError.keyNotFound(let key, let context) {
      throw ResourceError("\(folder)/\(name): \(Self.path(context)) lacks `\(key.stringValue)`")
    } catch DecodingError.typeMismatch(_, let context) {
      throw ResourceError(
        "\(folder)/\(name): \(Self.path(context)) has the wrong type: \(context.debugDescription)")
    } catch DecodingError.valueNotFound(_, let context) {
      throw ResourceError("\(folder)/\(name): \(Self.path(context)) has no value")
    } catch {
      throw ResourceError("\(folder)/\(name): it is not valid JSON")
    }
  }

  private static func read(_ folder: String, _ name: String) throws(ResourceError) -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)") else {
      throw ResourceError(
        "\(folder)/\(name): cannot be read; the bundle is not whole: install the plugin again")
    }
    return [UInt8](data)
  }

  private static func path(_ context: DecodingError.Context) -> String {
    let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
    return path.isEmpty ? "the file" : "`\(path.joined(separator: "."))`"
  }
}

extension SHA256.Digest {
  /// Two digits a byte, as `sha256sum` prints it.
  fileprivate var hexadecimal: String {
    let digits = Array("0123456789abcdef")
    return String(flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}
