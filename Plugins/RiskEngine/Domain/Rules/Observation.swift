/// What the engine observes beside phrases; rules name them as `link.short`, `text.invisible` and
/// so on.
public enum Observation: Int, CaseIterable, Sendable {
  case link, linkShort, linkAddress, linkUser, linkSuspiciousTopLevel, linkLookalike,
    linkBrandElsewhere
  case linkObfuscated, linkForeignScript, linkOfficial, linkAgency, linkPopular, linkUnknown
  case linkFreeHost, linkNested, linkDeep, linkPunycode, linkMixedScript, linkShownMismatch
  case linkPort, linkLong, linkShortShaped, linkManyAt, linkBackslash, linkDirectionOverride
  case linkFalseEnding
  case phone, money, code, number, email
  case invisible, directionOverride, homoglyphWord, styledWord, leetWord, spacedWord, maskedWord
  case shouting, contact, brief
  case offHours, callbackMismatch, callbackOwn, linkMismatch
  case senderReported, senderLookalike, senderFreeMail, senderOwnDomain, senderOneRing
  case senderImpossible, senderShortCode, phoneReported

  /// Its name in the rule file.
  public var name: String {
    switch self {
    case .link: "link"
    case .linkShort: "link.short"
    case .linkAddress: "link.address"
    case .linkUser: "link.user"
    case .linkSuspiciousTopLevel: "link.suspicious_top_level"
    case .linkLookalike: "link.lookalike"
    case .linkBrandElsewhere: "link.brand_elsewhere"
    case .linkObfuscated: "link.obfuscated"
    case .linkForeignScript: "link.foreign_script"
    case .linkOfficial: "link.official"
    case .linkAgency: "link.agency"
    case .linkPopular: "link.popular"
    case .linkUnknown: "link.unknown"
    case .linkFreeHost: "link.free_host"
    case .linkNested: "link.nested"
    case .linkDeep: "link.deep"
    case .linkPunycode: "link.punycode"
    case .linkMixedScript: "link.mixed_script"
    case .linkShownMismatch: "link.mismatch"
    case .linkPort: "link.port"
    case .linkLong: "link.long"
    case .linkShortShaped: "link.short_shaped"
    case .linkManyAt: "link.many_at"
    case .linkBackslash: "link.backslash"
    case .linkDirectionOverride: "link.direction_override"
    case .linkFalseEnding: "link.false_ending"
    case .phone: "phone"
    case .money: "money"
    case .code: "code"
    case .number: "number"
    case .email: "email"
    case .invisible: "text.invisible"
    case .directionOverride: "text.direction_override"
    case .homoglyphWord: "text.homoglyph"
    case .styledWord: "text.styled"
    case .leetWord: "text.leet"
    case .spacedWord: "text.spaced"
    case .maskedWord: "text.masked"
    case .shouting: "text.shouting"
    case .contact: "sender.contact"
    case .brief: "text.brief"
    case .offHours: "claim.off_hours"
    case .callbackMismatch: "claim.callback_mismatch"
    case .callbackOwn: "claim.callback_own"
    case .linkMismatch: "claim.link_mismatch"
    case .senderReported: "sender.reported"
    case .senderLookalike: "sender.lookalike"
    case .senderFreeMail: "sender.free_mail"
    case .senderOwnDomain: "sender.own_domain"
    case .senderOneRing: "sender.one_ring"
    case .senderImpossible: "sender.impossible"
    case .senderShortCode: "sender.short_code"
    case .phoneReported: "phone.reported"
    }
  }

  /// Whether it is of what is known beside the text.
  var isOfSender: Bool { isOfWholeText && self != .shouting && self != .brief }

  /// Whether it is of the text or the sender as a whole, and stands nowhere in the text.
  var isOfWholeText: Bool {
    switch self {
    case .shouting, .contact, .brief, .senderReported, .senderLookalike, .senderFreeMail,
      .senderOwnDomain, .senderOneRing, .senderImpossible, .senderShortCode:
      true
    default: false
    }
  }
}

/// One finding: which observation or phrase, and over which words.
struct Finding {
  var atom: Int
  var first: Int
  var last: Int

  /// The order of the text.
  static func precedes(_ one: Finding, _ other: Finding) -> Bool {
    (one.last, one.first, one.atom) < (other.last, other.first, other.atom)
  }
}
