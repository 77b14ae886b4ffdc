/// The parts of the rule bundle, checked against each other.
public struct RuleBundle: Sendable {
  /// The rules.
  public let rules: RuleSet
  let catalogue: DomainCatalogue
  let senders: SenderDirectory

  /// Checks and compiles the parts.
  ///
  /// - Throws: `RuleFileError` naming the part and the word that is wrong.
  public init(
    rules: RuleFile, domains: DomainCatalogue.Sources, senders: SenderFile
  ) throws(RuleFileError) {
    self.senders = try SenderDirectory(senders)
    self.rules = try RuleSet(rules, senders: senders)
    catalogue = DomainCatalogue(domains, senders: senders.senders)
  }
}
