import Crypto
public import Foundation
public import RiskEngineDomain

/// The files of `Plugins/RiskEngine/Resources`.
public struct Bundle {
  /// What stands beside the weights, for people and for GetModel.
  public struct Metadata: Codable {
    /// The version of the model.
    public var version: String
    /// When the version was made, RFC 3339.
    public var createdAt: String
    /// The rules that its blend was fitted with.
    public var rulesVersion: String
    /// The file of the weights.
    public var file: String
    /// SHA-256 of that file.
    public var sha256: String
    /// How many texts it was trained on.
    public var trainingTexts: Int
    /// How many of them were generated from templates.
    public var generatedTexts: Int
    /// Figures on texts that it was not trained on, by name.
    public var figures: [String: Double]

    private enum CodingKeys: String, CodingKey {
      case version, file, sha256, figures
      case createdAt = "created_at"
      case rulesVersion = "rules_version"
      case trainingTexts = "training_texts"
      case generatedTexts = "generated_texts"
    }

    /// All of it.
    public init(
      version: String, createdAt: String, rulesVersion: String, file: String, sha256: String,
      trainingTexts: Int,
      generatedTexts: Int, figures: [String: Double]
    ) {
      self.version = version
      self.createdAt = createdAt
      self.rulesVersion = rulesVersion
      self.file = file
      self.sha256 = sha256
      self.trainingTexts = trainingTexts
      self.generatedTexts = generatedTexts
      self.figures = figures
    }
  }

  /// The folder.
  public var folder: URL

  /// The bundle in a folder.
  public init(folder: URL) { self.folder = folder }

  /// The rules, domains and senders, which the trainer does not write.
  public func rules() throws -> RuleBundle {
    let decoder = JSONDecoder()
    func read<Value: Decodable>(_ name: String, _ type: Value.Type) throws -> Value {
      do {
        return try decoder.decode(type, from: Data(contentsOf: folder.appending(path: name)))
      } catch {
        throw ToolError("\(folder.appending(path: name).path): \(error)")
      }
    }
    return try RuleBundle(
      rules: read("rules.json", RuleFile.self), domains: domains(),
      senders: read("senders.json", SenderFile.self))
  }

  /// The lists of domains.
  public func domains() throws -> DomainCatalogue.Sources {
    func text(_ name: String) throws -> String {
      try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }
    let suffixes = try Data(contentsOf: folder.appending(path: "suffixes.bin"))
    return DomainCatalogue.Sources(
      lists: try JSONDecoder().decode(
        DomainLists.self, from: Data(contentsOf: folder.appending(path: "domains.json"))),
      brands: try text("brands.txt"), popular: try text("popular.txt"),
      suffixes: try PublicSuffixes(decoding: [UInt8](suffixes)))
  }

  /// The engine that ships.
  public func engine() throws -> RiskEngine {
    let metadata = try JSONDecoder().decode(
      Metadata.self, from: Data(contentsOf: folder.appending(path: "model.json")))
    let bytes = [UInt8](try Data(contentsOf: folder.appending(path: metadata.file)))
    guard Self.checksum(of: bytes) == metadata.sha256 else {
      throw ToolError("\(metadata.file) does not match its checksum; run tools/train-risk")
    }
    return RiskEngine(
      bundle: try rules(), model: try TextModel(decoding: bytes), modelVersion: metadata.version)
  }

  /// Writes model and metadata.
  public func write(_ model: TextModel, _ metadata: (String) -> Metadata) throws {
    let bytes = model.encoded()
    let metadata = metadata(Self.checksum(of: bytes))
    try Data(bytes).write(to: folder.appending(path: metadata.file))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    var text = try encoder.encode(metadata)
    text.append(UInt8(ascii: "\n"))
    try text.write(to: folder.appending(path: "model.json"))
  }

  /// SHA-256 in hexadecimal digits, as `model.json` has it.
  private static func checksum(of bytes: [UInt8]) -> String {
    SHA256.hash(data: bytes).map { String(format: "%02x", $0) }.joined()
  }
}
