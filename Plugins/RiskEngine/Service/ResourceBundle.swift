public import RiskEngineDomain

/// The engine's resources as they lie on disk: rules, domain lists, senders, contacts, sentences,
/// and the model with its checksum.
public final class ResourceBundle: Sendable {
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
    /// When it was trained, an ISO 8601 date; nil when that was not written down.
    public var createdAt: String?
    /// How many texts it was trained on.
    public var trainingTexts: Int
    /// How many of them were generated from templates.
    public var generatedTexts: Int
    /// Figures of the training, by name.
    public var figures: [String: Double]

    private enum CodingKeys: String, CodingKey {
      case version, file, sha256, figures
      case createdAt = "created_at"
      case rulesVersion = "rules_version"
      case trainingTexts = "training_texts"
      case generatedTexts = "generated_texts"
    }
  }

  /// The engine.
  public let engine: RiskEngine
  /// What is known of its model.
  public let metadata: ModelMetadata
  /// Whom to ask.
  public let contacts: ContactBook
  /// The sentences that people read, by their language; English is always there.
  public let strings: [String: StringCatalogue]
  private let english: StringCatalogue

  /// Loads a folder.
  ///
  /// - Throws: `ResourceError` naming the file, what is wrong, and what to do.
  public init(folder: String) throws(ResourceError) {
    let files = try SealedFolder(folder)
    let rules = try files.decode(RuleFile.self, "rules.json")
    let domains = try Self.domains(files, folder)
    let senders = try files.decode(SenderFile.self, "senders.json")
    let contacts = try files.decode(ContactFile.self, "contacts.json")
    metadata = try files.decode(ModelMetadata.self, "model.json")
    guard !metadata.file.contains("/") else {
      throw ResourceError(
        "\(folder)/model.json: `file` is a name in the same folder, without a slash")
    }
    let bytes = try files.bytes(metadata.file)
    guard files.checksum(of: metadata.file) == metadata.sha256 else {
      throw ResourceError(
        "\(folder)/model.json: it is of another \(metadata.file) than the one that is here; run "
          + "tools/train-risk")
    }
    let model: TextModel
    do throws(TextModel.FileError) {
      model = try TextModel(decoding: bytes)
    } catch {
      throw ResourceError("\(folder)/\(metadata.file): \(error)")
    }
    var strings: [String: StringCatalogue] = [:]
    for name in files.names where name.hasPrefix("strings.") && name.hasSuffix(".json") {
      let catalogue = try files.decode(StringCatalogue.self, name)
      strings[catalogue.language] = catalogue
    }
    guard let english = strings["en"] else {
      throw ResourceError("\(folder)/strings.en.json: cannot be read; install the plugin again")
    }
    do throws(RuleFileError) {
      let bundle = try RuleBundle(rules: rules, domains: domains, senders: senders)
      engine = RiskEngine(bundle: bundle, model: model, modelVersion: metadata.version)
      self.contacts = try ContactBook(contacts)
      for (_, catalogue) in strings { try catalogue.check(bundle.rules, contacts) }
    } catch {
      throw ResourceError("\(folder): \(error)")
    }
    self.strings = strings
    self.english = english
  }

  private static func domains(
    _ files: SealedFolder, _ folder: String
  ) throws(ResourceError) -> DomainCatalogue.Sources {
    let bytes = try files.bytes("suffixes.bin")
    let suffixes: PublicSuffixes
    do throws(PublicSuffixes.FileError) {
      suffixes = try PublicSuffixes(decoding: bytes)
    } catch {
      throw ResourceError("\(folder)/suffixes.bin: \(error)")
    }
    return DomainCatalogue.Sources(
      lists: try files.decode(DomainLists.self, "domains.json"),
      brands: String(decoding: try files.bytes("brands.txt"), as: UTF8.self),
      popular: String(decoding: try files.bytes("popular.txt"), as: UTF8.self),
      suffixes: suffixes)
  }

  /// The sentences in a language; English when there are none in it.
  func strings(for language: String) -> StringCatalogue { strings[language] ?? english }
}

/// Resources that cannot be used.
public struct ResourceError: Error, Sendable, CustomStringConvertible {
  /// Which file, what is wrong, and what to do.
  public var description: String

  init(_ description: String) { self.description = description }
}
