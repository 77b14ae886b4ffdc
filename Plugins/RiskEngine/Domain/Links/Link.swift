/// A link as it was found in a text.
struct Link {
  /// What is known of it.
  typealias Traits = LinkTraits

  /// The token that stands for it.
  var token: Int
  /// Host as ASCII, lower case, look-alike letters folded; a scalar that has no ASCII form is `?`.
  var host: [UInt8]
  /// Where the last label of the host starts.
  var topLevelStart: Int
  var hasPath: Bool
  var traits: Traits
  /// What its host says.
  var reading = HostReading()
}

/// What is known of a link.
public struct LinkTraits: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: UInt32
  /// Traits with the given bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// It names a scheme: `https://`.
  public static let scheme = LinkTraits(rawValue: 1 << 0)
  /// A service that hides where it leads.
  public static let short = LinkTraits(rawValue: 1 << 1)
  /// A bare address in place of a name, in any notation.
  public static let address = LinkTraits(rawValue: 1 << 2)
  /// A name in front of `@` that says nothing of where it leads.
  public static let user = LinkTraits(rawValue: 1 << 3)
  /// A top-level domain that scams use far more than others.
  public static let suspiciousTopLevel = LinkTraits(rawValue: 1 << 4)
  /// Its name is nearly a known one.
  public static let lookalike = LinkTraits(rawValue: 1 << 5)
  /// It carries a known name and belongs to somebody else.
  public static let brandElsewhere = LinkTraits(rawValue: 1 << 6)
  /// It is written so that filters do not see it: `hxxp`, `[.]`, ` . `, backslashes.
  public static let obfuscated = LinkTraits(rawValue: 1 << 7)
  /// Letters that are not ASCII.
  public static let foreignScript = LinkTraits(rawValue: 1 << 8)
  /// A known company's own.
  public static let official = LinkTraits(rawValue: 1 << 9)
  /// An agency's own.
  public static let agency = LinkTraits(rawValue: 1 << 10)
  /// A well-known site.
  public static let popular = LinkTraits(rawValue: 1 << 11)
  /// A place where anybody puts up a page.
  public static let freeHost = LinkTraits(rawValue: 1 << 12)
  /// Another address inside.
  public static let nested = LinkTraits(rawValue: 1 << 13)
  /// A name of many labels.
  public static let deep = LinkTraits(rawValue: 1 << 14)
  /// A label in punycode: `xn--`.
  public static let punycode = LinkTraits(rawValue: 1 << 15)
  /// A label that no one script has all letters of.
  public static let mixedScript = LinkTraits(rawValue: 1 << 16)
  /// The text that is shown for it names another site.
  public static let mismatch = LinkTraits(rawValue: 1 << 17)
  /// A port of its own.
  public static let port = LinkTraits(rawValue: 1 << 18)
  /// Longer than links are.
  public static let long = LinkTraits(rawValue: 1 << 19)
  /// An unknown name of the shape that link shorteners have, with a random path.
  public static let shortShaped = LinkTraits(rawValue: 1 << 20)
  /// More than one `@` in front of the path.
  public static let manyAt = LinkTraits(rawValue: 1 << 21)
  /// A backslash where a slash belongs.
  public static let backslash = LinkTraits(rawValue: 1 << 22)
  /// An override of the direction of writing inside.
  public static let directionOverride = LinkTraits(rawValue: 1 << 23)
  /// An ending of agencies or companies where none belongs: `wa.gov-dmv.top`.
  public static let falseEnding = LinkTraits(rawValue: 1 << 24)

  private static let names: [(LinkTraits, Observation)] = [
    (.short, .linkShort), (.address, .linkAddress), (.user, .linkUser),
    (.suspiciousTopLevel, .linkSuspiciousTopLevel), (.lookalike, .linkLookalike),
    (.brandElsewhere, .linkBrandElsewhere), (.obfuscated, .linkObfuscated),
    (.foreignScript, .linkForeignScript), (.official, .linkOfficial), (.agency, .linkAgency),
    (.popular, .linkPopular), (.freeHost, .linkFreeHost), (.nested, .linkNested),
    (.deep, .linkDeep), (.punycode, .linkPunycode), (.mixedScript, .linkMixedScript),
    (.mismatch, .linkShownMismatch), (.port, .linkPort), (.long, .linkLong),
    (.shortShaped, .linkShortShaped), (.manyAt, .linkManyAt), (.backslash, .linkBackslash),
    (.directionOverride, .linkDirectionOverride), (.falseEnding, .linkFalseEnding),
  ]

  /// What rules call them.
  var observations: [Observation] {
    Self.names.filter { contains($0.0) }.map(\.1) + (isUnknown ? [.linkUnknown] : [])
  }

  /// Whether nothing is known of where it leads.
  public var isUnknown: Bool {
    isDisjoint(with: [.short, .official, .agency, .popular, .freeHost])
  }
}

/// Why a name counts as an imitation of another.
public enum LookAlikeReason: String, Sendable, Hashable, CaseIterable {
  /// Letters of other scripts, digits or pairs that pass for its letters: `pаypal`, `paypa1`,
  /// `rnicrosoft`.
  case confusable
  /// One letter or two changed, left out, added, doubled or swapped: `payapl`.
  case edit
  /// Its letters with a hyphen between: `pay-pal`.
  case hyphen
  /// Its letters with a dot between: `pay.pal.com`.
  case dot
  /// The same name under another ending: `paypal.top`.
  case ending
  /// The name with something added: `paypal-secure.com`.
  case addedWord = "added_word"
  /// The name in front of somebody else's: `paypal.com.verify-id.ru`.
  case subdomain
}

/// What a host's name says.
struct HostReading {
  /// Where the public suffix starts, in the host as it is resolved.
  var suffixStart = 0
  /// Where the registrable domain starts; nil when the host is a suffix or an address.
  var registrableStart: Int?
  /// Whether strangers have names under the suffix.
  var isPrivateSuffix = false
  /// The host as it is resolved: ASCII, punycode where it has other letters.
  var host: [UInt8] = []
  /// The brand that it belongs to or looks like.
  var brand: Int?
  /// Why it looks like that brand.
  var reason: LookAlikeReason?
}
