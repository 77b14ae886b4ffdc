import FoundationEssentials
import Testing

@testable import RiskEngineDomain

/// What a link's address alone tells, on the lists that ship.
struct LinkInspectorTests {
  private func inspector() throws -> LinkInspector { try Fixtures.engine().links }

  private func report(_ link: String) throws -> LinkReport {
    let found = try inspector().inspect(link)
    return try #require(found, "\(link)")
  }

  // MARK: - The edge cases

  @Test(arguments: [
    ("p\u{0430}ypal.com", "paypal", LookAlikeReason.confusable),
    ("xn--pypal-4ve.com", "paypal", .confusable), ("paypaI.com", "paypal", .confusable),
    ("rnicrosoft.com", "microsoft", .confusable),
    ("\u{0430}\u{0440}\u{0440}\u{04CF}\u{0435}.com", "apple", .confusable),
    ("xn--80ak6aa92e.com", "apple", .confusable),
  ])
  func edgeCase4FindsImitations(link: String, brand: String, reason: LookAlikeReason) throws {
    let report = try report(link)
    #expect(report.bucket == .lookAlike)
    #expect(report.imitates == brand)
    #expect(report.reason == reason)
  }

  @Test(
    arguments: [
      ("paypal.com/x", .popular), ("https://www.paypal.com/signin", .popular),
      ("microsoft.com", .popular),
      ("login.microsoftonline.com", .popular), ("apple.com", .popular),
      ("https://www.chase.com/personal", .bank), ("support.google.com", .popular),
      ("m.facebook.com", .popular),
    ] as [(String, LinkReport.Bucket)])
  func edgeCase4LeavesTheirOwnSitesAlone(link: String, bucket: LinkReport.Bucket) throws {
    let report = try report(link)
    #expect(report.bucket == bucket)
    #expect(report.imitates == nil && report.reason == nil)
  }

  @Test(arguments: [
    ("apple.com.verify-id.ru", "apple", "verify-id.ru"),
    ("https://amazon.com.account-verify.ru/x", "amazon", "account-verify.ru"),
    ("usps.com-track.top", "usps", "com-track.top"),
    ("http://chase.com.secure.example.info", "chase", "example.info"),
  ])
  func edgeCase5SeesWhoOwnsTheName(link: String, brand: String, registrable: String) throws {
    let report = try report(link)
    #expect(report.bucket == .lookAlike)
    #expect(report.imitates == brand)
    #expect(report.reason == .subdomain)
    #expect(report.registrableDomain == registrable)
  }

  /// A name of its own, which no browser takes for the other.
  @Test(arguments: ["pay\u{1D18}al.com", "\u{1D21}hat\u{A731}app.com"])
  func smallCapitalsImitate(link: String) throws {
    #expect(try report(link).bucket == .lookAlike)
  }

  @Test(arguments: [
    "http//bit.ly/x", "viahttps//bit.ly/x", "seehttp://bit.ly/x", "http // bit.ly/x",
  ])
  func readsLinksThatLostASign(link: String) throws {
    #expect(try report(link).bucket == .shortLink)
  }

  @Test(arguments: [
    ("pay . some-name . top", "some-name.top"), ("look at some-name . com", "some-name.com"),
    ("it is at qxrfnd.info", "qxrfnd.info"), ("by six ring-plan.watch-now.cam", "watch-now.cam"),
  ])
  func readsHostsWithoutPath(text: String, registrable: String) throws {
    let engine = try Fixtures.engine()
    let links = engine.explain(NormalizedText(text), Circumstances(), bands: .standard).links
    #expect(links.map(\.registrableDomain) == [registrable])
  }

  @Test(arguments: [
    "[https://www.chase.com](http://evil.top/x) now", "https://www.chase.com/a<http://evil.top/x>",
    "https://www.chase.com/a|http://evil.top/x", "https://www.chase.com/a,http://evil.top/x",
  ])
  func readsTheLinkBehindALink(text: String) throws {
    let engine = try Fixtures.engine()
    let links = engine.explain(NormalizedText(text), Circumstances(), bands: .standard).links
    #expect(links.map(\.registrableDomain) == ["chase.com", "evil.top"])
  }

  @Test(arguments: [
    "See details.info for more", "That was the end. So we went home",
    "photos IMG-24.mov and notes-2.zip",
    "Dinner is at six . Come early",
  ])
  func readsNoHostsIntoSentences(text: String) throws {
    let engine = try Fixtures.engine()
    #expect(engine.explain(NormalizedText(text), Circumstances(), bands: .standard).links.isEmpty)
  }

  @Test(arguments: ["hxxps://bit.ly/x", "bit[.]ly/x", "bit . ly/x", "bit(dot)ly/x", "bit dot ly/x"])
  func edgeCase8ReadsObfuscatedLinks(link: String) throws {
    let report = try report(link)
    #expect(report.bucket == .shortLink)
    #expect(report.observations.contains("link.obfuscated"))
  }

  @Test func edgeCase9SeesAnOverrideOfTheDirection() throws {
    let report = try report("https://example.com/\u{202E}gpj.exe")
    #expect(report.observations.contains("link.direction_override"))
    #expect(report.observations.contains("link.obfuscated"))
    let plain = try self.report("https://example.com/exe.jpg")
    #expect(!plain.observations.contains("link.direction_override"))
  }

  // MARK: - Imitations

  @Test(arguments: [
    ("payapl.com", "paypal", LookAlikeReason.edit),
    ("bankofamerlca.com", "bankofamerica", .confusable),
    ("bankofamrica.com", "bankofamerica", .edit), ("wellsfargo.top", "wellsfargo", .ending),
    ("pay-pal.com", "paypal", .hyphen), ("pay.pal.com", "paypal", .dot),
    ("paypal-secure.com", "paypal", .addedWord), ("verifyusps.com", "usps", .addedWord),
    ("irs-gov.com", "irs", .addedWord), ("wwwchase.com", "chase", .addedWord),
    ("netflix.weebly.com", "netflix", .ending), ("usps-redelivery.pages.dev", "usps", .addedWord),
    ("amazeson.com", "amazon", .edit), ("p\u{E0}ypal.com", "paypal", .confusable),
  ])
  func tellsWhomItImitatesAndHow(link: String, brand: String, reason: LookAlikeReason) throws {
    let report = try report(link)
    #expect(report.imitates == brand)
    #expect(report.reason == reason)
  }

  @Test(arguments: [
    "phase.com", "cooking.com", "groups.io", "deltadental.com", "unitedway.org",
    "targets.example.com",
    "cloud.com", "startups.com", "whitehouse.gov", "sba.gov", "google.de", "ebay.ie",
    "amazon.com.tr",
    "microsoft.github.io", "b\u{FC}cher.example.com", "xn--mnchen-3ya.de", "discovery.com",
  ])
  func leavesOtherNamesAlone(link: String) throws {
    let report = try report(link)
    #expect(
      report.bucket != .lookAlike, "\(report.imitates ?? "") \(report.reason?.rawValue ?? "")")
  }

  /// A property of the lists: whoever owns a name may use it, and all below it.
  @Test func neverFlagsABrandsOwnDomains() throws {
    let inspector = try inspector()
    let place = "\(Fixtures.resources)/brands.txt"
    let data = try #require(FileManager.default.contents(atPath: place))
    let text = String(decoding: data, as: UTF8.self)
    var count = 0
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let fields = line.split(separator: "|", omittingEmptySubsequences: false)
      #expect(fields.count == 4, "\(line)")
      for word in fields[2].split(separator: " ") {
        let domain = String(word.drop { "~!+".contains($0) })
        for host in [domain, "www.\(domain)", "https://secure.login.\(domain)/verify?a=b"] {
          let report = inspector.inspect(host)
          #expect(
            report != nil && report?.reason == nil, "\(host): \(report?.imitates ?? "no link")")
          count += 1
        }
      }
    }
    #expect(count > 2_000)
  }

  @Test func knowsEverySenderByItsId() throws {
    let catalogue = try Fixtures.engine().catalogue
    for id in ["paypal", "discovercard", "tmobile", "steam", "zelle", "lloyds", "ezpass"] {
      #expect(catalogue.brands.contains { $0.id == id }, "\(id)")
    }
    #expect(catalogue.brands.count > 600)
  }

  // MARK: - Buckets and traits

  @Test(arguments: [
    ("https://www.ssa.gov/benefits", LinkReport.Bucket.gov), ("www.gov.uk/tax", .gov),
    ("chase.com", .bank), ("https://www.aetna.com", .health), ("nytimes.com", .popular),
    ("tinyurl.com/abc", .shortLink), ("someone.blogspot.com", .freeHost),
    ("docs.google.com/forms/d/e/x", .freeHost), ("an-unknown-name.net", .unknown),
    ("http://192.0.2.7/login", .unknown), ("irw.gov", .lookAlike), ("evil.github.io", .freeHost),
  ])
  func sortsIntoBuckets(link: String, bucket: LinkReport.Bucket) throws {
    #expect(try report(link).bucket == bucket)
  }

  @Test(arguments: [
    ("http://3221225985/a", "link.address"), ("http://0xC0000207/a", "link.address"),
    ("http://0300.0.02.07/a", "link.obfuscated"), ("http://0xC0.0.2.7/a", "link.address"),
    ("http://192.0.2.7/a", "link.address"), ("http://paypal.com@evil.top/", "link.user"),
    ("http://paypal.com:pass@evil.top/", "link.user"),
    ("http://paypal.com@x@evil.top/", "link.many_at"), ("https://example.com:8443/a", "link.port"),
    ("https://example.com\\@evil.top/", "link.backslash"),
    ("https:\\\\example.com/a", "link.backslash"),
    ("https://example.com/?to=https://evil.top", "link.nested"),
    ("https://example.com/?to=https%3A%2F%2Fevil.top", "link.nested"),
    ("https://a.b.c.d.e.f.example.com", "link.deep"),
    ("https://win.top", "link.suspicious_top_level"),
    ("xn--mnchen-3ya.de", "link.punycode"), ("p\u{0430}ypal.com", "link.mixed_script"),
    ("https://qz4.ly/x7K2", "link.short_shaped"),
    ("https://wa.gov-dmvs.vip/pay", "link.false_ending"),
    ("https://city.com-ticket.info", "link.false_ending"),
    ("https://city.gov.fine.top", "link.false_ending"),
    ("https://dmv-gov.top", "link.false_ending"),
    ("https://example.com/" + String(repeating: "a", count: 2_100), "link.long"),
    ("pay\u{200B}pal.com", "link.obfuscated"),
    ("[paypal.com](http://evil.example)", "link.mismatch"),
    ("[Log in to paypal.com](http://evil.example/a)", "link.mismatch"),
    ("<a href=\"http://evil.example/a\">paypal.com</a>", "link.mismatch"),
    ("<a href='http://evil.example/a' class=b>www.paypal.com</a>", "link.mismatch"),
    ("paypal.com <http://evil.example/a>", "link.mismatch"),
    ("[paypal.com](http://192.0.2.7/a)", "link.mismatch"),
  ])
  func sees(link: String, name: String) throws {
    let report = try report(link)
    #expect(report.observations.contains(name), "\(link): \(report.observations)")
  }

  @Test(arguments: [
    ("[paypal.com](https://www.paypal.com/signin)", "link.mismatch"),
    ("[amazon.com](https://www.amazon.co.uk/a)", "link.mismatch"),
    ("[our page](https://example.com/a)", "link.mismatch"),
    ("paypal.com <https://paypal.com/a>", "link.mismatch"),
    ("\u{5927}\u{962A}\u{306E}\u{30AB}.jp", "link.mixed_script"),
    ("https://example.com/a", "link.port"), ("https://example.com/news", "link.short_shaped"),
    ("https://www.dol.wa.gov/renew", "link.false_ending"),
    ("https://www.tax.service.gov.uk", "link.false_ending"),
    ("https://my.servicesaustralia.gov.au/a", "link.false_ending"),
    ("https://gov-watch.example.com", "link.false_ending"),
  ])
  func doesNotSee(link: String, name: String) throws {
    let report = try report(link)
    #expect(!report.observations.contains(name), "\(link): \(report.observations)")
  }

  @Test(arguments: [
    "1.2.3", "12345", "http://12345/", "300.1.1.1", "http://1.2.3.400/", "0x", "1.2.3.4.5", "hello",
    "", " ", "http://", "@", "...",
  ])
  func findsNoLink(text: String) throws {
    let report = try inspector().inspect(text)
    #expect(report == nil, "\(text)")
  }

  @Test(arguments: [
    ("paypal.com", "paypal.com", 0.0), ("paypal.com", "evil.example", 0.5),
    ("paypal.com", "paypa1.com", 1),
  ])
  func weighsWhatIsShown(shown: String, real: String, weight: Double) {
    #expect(ShownDistance.between(Array(shown.utf8), Array(real.utf8)) == weight)
  }

  // MARK: - Bounds

  /// What grows with the length is one pass over it; what is looked up for a host has a bound,
  /// which is counted here.
  @Test func worksNoMoreForLongerHosts() throws {
    for count in [16, 32, 64, 128] {
      let host = Array(String(repeating: "a.", count: count).utf8) + Array("com".utf8)
      #expect(HostHash.names(of: host).count <= HostHash.mostLabels)
    }
    for count in [5, 10, 20, 40] {
      var deletions = 0
      LookAlikeIndex.deletions(
        of: [UInt8](repeating: 0x61, count: count), two: true
      ) { _ in deletions += 1 }
      #expect(deletions == 1 + count + count * (count - 1) / 2)
    }
    let inspector = try inspector()
    for piece in [
      "a", "a.", "-", "paypal-", "xn--", "\u{0430}", "@", "[.]", "%3a%2f%2f", ":", "\\", "](", "<",
    ] {
      var length = 64
      while length <= 1 << 20 {
        let text = "http://" + String(repeating: piece, count: length / piece.utf8.count)
        let report = inspector.inspect(text)
        #expect(report.map { $0.observations.count <= Observation.allCases.count } ?? true)
        length *= 16
      }
    }
  }
}

/// The public suffix list that ships.
struct PublicSuffixesTests {
  private func suffixes() throws -> PublicSuffixes {
    let place = "\(Fixtures.resources)/suffixes.bin"
    let data = try #require(FileManager.default.contents(atPath: place))
    return try PublicSuffixes(decoding: [UInt8](data))
  }

  @Test(
    arguments: [
      ("com", nil), ("example.com", "example.com"), ("a.b.example.com", "example.com"),
      ("EXAMPLE.co.UK", "example.co.uk"), ("co.uk", nil), ("a.example.co.uk", "example.co.uk"),
      ("www.ck", "www.ck"), ("b.test.ck", "b.test.ck"), ("test.ck", nil),
      ("a.b.test.ck", "b.test.ck"),
      ("city.kobe.jp", "city.kobe.jp"), ("a.b.c.kobe.jp", "b.c.kobe.jp"), ("c.kobe.jp", nil),
      ("someone.blogspot.com", "someone.blogspot.com"),
      ("a.someone.github.io", "someone.github.io"),
      ("a.unlisted", "a.unlisted"), ("b.a.unlisted", "a.unlisted"), (".example.com", nil),
      ("", nil),
      ("\u{98DF}\u{72EE}.\u{516C}\u{53F8}.cn", "xn--85x722f.xn--55qx5d.cn"),
      ("www.xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn"),
    ] as [(String, String?)])
  func findsWhatIsRegistered(host: String, expected: String?) throws {
    #expect(try suffixes().registrableDomain(of: host) == expected)
  }

  @Test func tellsThePrivateSectionApart() throws {
    let suffixes = try suffixes()
    func suffix(_ host: String) -> PublicSuffixes.Suffix {
      suffixes.suffix(of: HostHash.names(of: Array(host.utf8)))
    }
    #expect(suffix("a.example.com").isPrivate == false)
    #expect(suffix("a.github.io").isPrivate)
    #expect(suffix("a.unlisted").isListed == false)
  }

  @Test func refusesOtherBytes() {
    #expect(throws: PublicSuffixes.FileError.self) { try PublicSuffixes(decoding: [1, 2, 3]) }
    let header = Array("Kith public suffixes 1\n".utf8) + [UInt8](repeating: 0x20, count: 233)
    let twice: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 1]
    #expect(throws: PublicSuffixes.FileError.self) {
      try PublicSuffixes(decoding: header + twice + twice)
    }
  }

  private static let vectors = "/usr/share/doc/publicsuffix/examples/test_psl.txt"

  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: vectors),
      "Debian's package publicsuffix is not installed here, which has test_psl.txt"))
  func agreesWithTheListsOwnVectors() throws {
    let suffixes = try suffixes()
    let data = try #require(FileManager.default.contents(atPath: Self.vectors))
    var count = 0
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n")
    where line.hasPrefix("checkPublicSuffix(") {
      let parts = line.dropFirst("checkPublicSuffix(".count).prefix { $0 != ")" }
        .split(separator: ",").map { $0.filter { $0 != " " } }
      guard parts.count == 2, parts[0] != "null" else { continue }
      let host = parts[0].filter { $0 != "'" }
      let expected =
        parts[1] == "null" ? nil : PublicSuffixes.resolved(parts[1].filter { $0 != "'" })
      #expect(suffixes.registrableDomain(of: host) == expected, "\(line)")
      count += 1
    }
    #expect(count > 70)
  }
}

/// UTS #39.
struct ConfusablesTests {
  @Test(arguments: [
    ("\u{0440}\u{0430}\u{0443}\u{0440}\u{0430}l", "paypal"), ("rn", "m"), ("\u{217F}", "m"),
    ("\u{0430}\u{0440}\u{0440}1\u{0435}", "apple"), ("\u{1D429}ay", "pay"), ("e\u{301}", "\u{E9}"),
  ])
  func equalSkeletons(one: String, other: String) {
    let first = Confusables.skeleton(of: one)
    let second = Confusables.skeleton(of: other)
    #expect(first.unicodeScalars.elementsEqual(second.unicodeScalars), "\(first) \(second)")
  }

  @Test func differentSkeletons() {
    #expect(Confusables.skeleton(of: "paypal") != Confusables.skeleton(of: "paypai2"))
  }

  @Test(arguments: [
    ("p\u{0430}ypal", true), ("paypal", false), ("\u{0430}\u{0440}\u{0440}", false),
    ("pay-1.2", false),
    ("\u{5927}\u{962A}\u{306E}\u{30AB}", false), ("\u{D55C}\u{6F22}", false),
    ("\u{D55C}\u{306E}", true), ("caf\u{E9}", false), ("\u{3B1}bc", true),
  ])
  func findsMixedScripts(text: String, expected: Bool) {
    #expect(Confusables.mixesScripts(text) == expected)
  }

  @Test(arguments: [
    "m\u{FC}nchen", "b\u{FC}cher", "\u{98DF}\u{72EE}", "p\u{0430}ypal", "\u{1F600}a",
  ])
  func encodesWhatItDecodes(label: String) throws {
    let scalars = label.unicodeScalars.map(\.value)
    let encoded = try #require(Punycode.encode(scalars))
    #expect(Punycode.decode(encoded) == scalars)
  }
}
