import Crypto
import FoundationEssentials
public import RiskEngineDomain

/// The engine's resources as they lie on disk: rules, domain lists, contacts, and the model with its
/// checksum.
public struct ResourceBundle: Sendable {
  /// What stands beside the weights in `model.json`.
  public struct ModelMetadata: Codable, Sendable {
    /// The version of the model.
    public var version: String
    /// The rules that its blend was fitted with.
    public var rulesVersion: String
    /// The file of the weights.
    public var file: String
    /// SHA-256 of that file, lower-case hexadecimal.
    public var sha256: String
    /// How many texts it was trained on.
    public var trainingTexts: Int
    /// How many of them were generated from templates.
    public var generatedTexts: Int
    /// Figures of the training, by name.
    public var figures: [String: Double]

    private enum CodingKeys: String, CodingKey {
      case version, file, sha256, figures
      case rulesVersion = "rules_version"
      case trainingTexts = "training_texts"
      case generatedTexts = "generated_texts"
    }
  }

  /// The engine.
  public let engine: RiskEngine
  /// What is known of its model.
  public let metadata: ModelMetadata

  /// Loads a folder.
  ///
  /// - Throws: `ResourceError` naming the file, what is wrong, and what to do.
  public init(folder: String) throws(ResourceError) {
    let rules = try Self.decode(RuleFile.self, folder, "rules.json")
    let domains = try Self.domains(folder)
    let contacts = try Self.decode(ContactFile.self, folder, "contacts.json")
    metadata = try Self.decode(ModelMetadata.self, folder, "model.json")
    guard !metadata.file.contains("/") else {
      throw ResourceError(
        "\(folder)/model.json: `file` is a name in the same folder, without a slash")
    }
    let place = "\(folder)/\(metadata.file)"
    let bytes = try Self.read(folder, metadata.file)
    let checksum = SHA256.hash(data: bytes).hexadecimal
    guard checksum == metadata.sha256 else {
      throw ResourceError(
        "\(place): the checksum is \(checksum), but model.json says \(metadata.sha256); the file is "
          + "damaged or of another version: install the plugin again, or run tools/train-risk")
    }
    let model: TextModel
    do throws(TextModel.FileError) {
      model = try TextModel(decoding: bytes)
    } catch {
      throw ResourceError("\(place): \(error)")
    }
    do throws(RuleFileError) {
      engine = RiskEngine(
        rules: try RuleSet(rules), domains: domains, contacts: contacts, model: model,
        modelVersion: metadata.version)
    } catch {
      throw ResourceError("\(folder)/rules.json: \(error)")
    }
  }

  private static func domains(_ folder: String) throws(ResourceError) -> DomainCatalogue {
    let suffixes: PublicSuffixes
    let bytes = try read(folder, "suffixes.bin")
    do throws(PublicSuffixes.FileError) {
      suffixes = try PublicSuffixes(decoding: bytes)
    } catch {
      throw ResourceError("\(folder)/suffixes.bin: \(error)")
    }
    return DomainCatalogue(
      DomainCatalogue.Sources(
        lists: try decode(DomainLists.self, folder, "domains.json"),
        brands: String(decoding: try read(folder, "brands.txt"), as: UTF8.self),
        popular: String(decoding: try read(folder, "popular.txt"), as: UTF8.self),
        suffixes: suffixes))
  }

  private static func read(_ folder: String, _ name: String) throws(ResourceError) -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)") else {
      throw ResourceError(
        "\(folder)/\(name): cannot be read; the folder must hold rules.json, domains.json, "
          + "brands.txt, popular.txt, suffixes.bin, contacts.json, model.json and model.bin: install the plugin again")
    }
    return [UInt8](data)
  }

  private static func decode<Value: Decodable>(
    _ type: Value.Type, _ folder: String, _ name: String
  ) throws(ResourceError) -> Value {
    let bytes = try read(folder, name)
    do {
      return try JSONDecoder().decode(type, from: Data(bytes))
    } catch DecodingError.keyNotFound(let key, let context) {
      throw ResourceError("\(folder)/\(name): \(path(context)) lacks `\(key.stringValue)`")
    } catch DecodingError.typeMismatch(_, let context) {
      throw ResourceError(
        "\(folder)/\(name): \(path(context)) has the wrong type: \(context.debugDescription)")
    } catch DecodingError.valueNotFound(_, let context) {
      throw ResourceError("\(folder)/\(name): \(path(context)) has no value")
    } catch {
      throw ResourceError("\(folder)/\(name): it is not valid JSON")
    }
  }

  private static func path(_ context: DecodingError.Context) -> String {
    let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
    return path.isEmpty ? "the file" : "`\(path.joined(separator: "."))`"
  }
}

/// Resources that cannot be used.
public struct ResourceError: Error, Sendable, CustomStringConvertible {
  /// Which file, what is wrong, and what to do.
  public var description: String

  init(_ description: String) { self.description = description }
}

extension SHA256.Digest {
  /// Two digits a byte, as `sha256sum` prints it.
  fileprivate var hexadecimal: String {
    let digits = Array("0123456789abcdef")
    return String(flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}
