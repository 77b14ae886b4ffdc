/// What a link's address alone tells. A value without state; nothing is fetched.
public struct LinkInspector: Sendable {
  /// The longest link that is read, in bytes; what follows is left out.
  public static let longestLink = 65536

  let catalogue: DomainCatalogue

  /// An inspector of compiled lists.
  public init(_ catalogue: DomainCatalogue) { self.catalogue = catalogue }

  /// Inspects a link, a host, or a link as people write it (`hxxps://…`, `bit[.]ly/x`, `bit . ly`,
  /// `[paypal.com](http://…)`).
  ///
  /// The work is linear in the bytes. Nil when there is no link in it.
  public func inspect(_ link: String) -> LinkReport? {
    find(link).map { catalogue.report(on: $0, span: nil) }
  }

  /// The link in a text that is one.
  func find(_ given: String) -> Link? {
    var given = given
    let text = given.withUTF8 { bytes in
      NormalizedText(utf8: UnsafeBufferPointer(rebasing: bytes.prefix(Self.longestLink)))
    }
    let reader = LinkReader(catalogue: catalogue)
    if text.scalars.contains(where: { $0 == 0x20 || $0 == 0x3C || $0 == 0x5D }) {
      // A space, or a text that is shown for it: what the tokenizer makes of them.
      let links = Tokenizer(lexicon: Lexicon(), reader: reader).tokenize(text).links
      return links.first { $0.traits.contains(.mismatch) } ?? links.first
    }
    // The scheme is taken for granted: a host alone is a link too.
    guard case .link(_, let link) = reader.read(text, 0..<text.scalars.count, schemeBefore: true)
    else { return nil }
    return link
  }
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
