/// What a link's address alone tells. A value without state; nothing is fetched.
public struct LinkInspector: Sendable {
  /// What is known of where a link leads, without naming it.
  public enum Bucket: String, Sendable, Hashable, CaseIterable {
    case popular, gov, bank, health, shortener
    case lookAlike = "look_alike"
    case freeHost = "free_host"
    case unknown
  }

  let catalogue: DomainCatalogue

  /// An inspector of compiled lists.
  public init(_ catalogue: DomainCatalogue) { self.catalogue = catalogue }

  /// The longest link that is read, in bytes; what follows is left out.
  public static let longestLink = 65536

  /// Inspects a link, a host, or a link as people write it (`hxxps://…`, `bit[.]ly/x`, `bit . ly`).
  ///
  /// The work is linear in the bytes. Nil when there is no link in it.
  public func inspect(_ link: String) -> LinkReport? {
    var text = link
    let normalized = text.withUTF8 { bytes in
      NormalizedText(utf8: UnsafeBufferPointer(rebasing: bytes.prefix(Self.longestLink)))
    }
    return inspect(normalized)
  }

  private func inspect(_ text: NormalizedText) -> LinkReport? {
    let reader = LinkReader(catalogue: catalogue)
    let count = text.scalars.count
    if text.scalars.contains(where: { $0 == 0x20 || $0 == 0x3C || $0 == 0x5D }) {
      // A space, or a text that is shown for it: what the tokenizer makes of them.
      let tokenizer = Tokenizer(lexicon: Lexicon(), reader: reader)
      let links = tokenizer.tokenize(text).links
      return (links.first { $0.traits.contains(.mismatch) } ?? links.first).map(report)
    }
    guard case .link(_, let link) = reader.read(text, 0..<count, schemeBefore: true) else {
      return nil
    }
    var found = link
    // The scheme was only assumed.
    if !text.scalars.starts(with: [0x68]) || !text.scalars.contains(0x3A) {
      found.traits.remove(.scheme)
    }
    return report(found)
  }

  func report(_ link: Link) -> LinkReport {
    let reading = link.reading
    let host = link.traits.contains(.address) ? link.host : reading.host
    let brand = reading.brand.map { catalogue.brands[$0] }
    return LinkReport(
      host: String(decoding: host, as: UTF8.self),
      registrableDomain: reading.registrableStart.map {
        String(decoding: host[$0...], as: UTF8.self)
      },
      publicSuffix: link.traits.contains(.address) || host.isEmpty
        ? nil : String(decoding: host[reading.suffixStart...], as: UTF8.self),
      isPrivateSuffix: reading.isPrivateSuffix, bucket: bucket(link, brand),
      brand: brand, reason: reading.reason, traits: link.traits)
  }

  private func bucket(_ link: Link, _ brand: BrandBook.Brand?) -> Bucket {
    let traits = link.traits
    if link.reading.reason != nil { return .lookAlike }
    if traits.contains(.short) { return .shortener }
    if traits.contains(.freeHost) { return .freeHost }
    if traits.contains(.official), let brand {
      switch brand.kind {
      case "bank": return .bank
      case "health": return .health
      default: return .popular
      }
    }
    if traits.contains(.agency) { return .gov }
    return traits.contains(.popular) ? .popular : .unknown
  }
}

/// What a link's address tells.
public struct LinkReport: Sendable, Hashable {
  /// The host as it is resolved: lower-case ASCII, punycode for other letters.
  public var host: String
  /// What somebody registered; nil for an address, or a suffix alone.
  public var registrableDomain: String?
  /// The public suffix; nil for an address.
  public var publicSuffix: String?
  /// Whether strangers have names under the suffix.
  public var isPrivateSuffix: Bool
  /// What is known of where it leads.
  public var bucket: LinkInspector.Bucket
  /// The brand that it belongs to, or that it imitates when there is a reason.
  public var brand: BrandBook.Brand?
  /// Why it looks like the brand; nil when it imitates none.
  public var reason: LookAlikeReason?
  /// All that is known of it.
  public var traits: LinkTraits
}

/// What UTS #39 says of names, for whoever wants to check it.
public enum Confusables {
  /// The skeleton of a text; compare it with another skeleton only.
  public static func skeleton(of text: String) -> String {
    var result = ""
    for scalar in SkeletonTable.shared.skeleton(of: text.unicodeScalars.map(\.value)) {
      if let scalar = Unicode.Scalar(scalar) { result.unicodeScalars.append(scalar) }
    }
    return result
  }

  /// Whether no one script, and no writing system that mixes some, has all scalars of a text.
  public static func mixesScripts(_ text: String) -> Bool {
    ScriptTable.shared.isMixed(text.unicodeScalars.map(\.value))
  }
}

extension PublicSuffixes {
  /// A host as it is resolved: lower case, punycode for what is not ASCII.
  public static func resolved(_ host: String) -> String {
    String(
      decoding: ForeignHost(host.lowercased().unicodeScalars.map(\.value)).resolved, as: UTF8.self)
  }

  /// What somebody registered, as it is resolved; nil for a suffix alone and for what is no host.
  public func registrableDomain(of host: String) -> String? {
    let bytes = Array(Self.resolved(host).utf8)
    guard let first = bytes.first, first != UInt8(ascii: "."), bytes.last != UInt8(ascii: ".")
    else { return nil }
    let names = HostHash.names(of: bytes)
    let suffix = suffix(of: names)
    guard let at = names.firstIndex(where: { $0.start == suffix.start }), at + 1 < names.count
    else { return nil }
    return String(decoding: bytes[names[at + 1].start...], as: UTF8.self)
  }
}
