// Figures of the look-alike, shortener and suffix logic: tools/eval-domains --data DIR [--json].

import Foundation
import RiskEngineDomain
import RiskTraining

/// A share as it was counted.
struct Share: Codable {
  var found: Int
  var of: Int
  /// Some of those that were not found, or that were and should not be.
  var examples: [String] = []

  var percent: String {
    of == 0 ? "–" : String(format: "%6.2f %%", 100 * Double(found) / Double(of))
  }
}

/// All figures.
struct Figures: Codable {
  var permutations: [String: Share] = [:]
  var permutationsByBrand: [String: Share] = [:]
  var generated: [String: Share] = [:]
  var generatedByBrand: [String: Share] = [:]
  var flagged: [String: Share] = [:]
  var shorteners: [String: Share] = [:]
  var smishingBuckets: [String: Int] = [:]
  var suffixVectors: Share?
  var skeletons: Share?
  var loadMilliseconds = 0.0
  var hostsPerSecond: [String: Int] = [:]
}

/// The lines of a list; none, saying so, where there is no such list.
func lines(_ place: URL) throws -> [String] {
  guard FileManager.default.fileExists(atPath: place.path) else {
    FileHandle.standardError.write(
      Data("eval-domains: \(place.path) is not there: left out\n".utf8))
    return []
  }
  let text: String
  do {
    text = try String(contentsOf: place, encoding: .utf8)
  } catch {
    throw ToolError("\(place.path): cannot be read; --data names the folder with the lists")
  }
  return text.split(whereSeparator: \.isNewline).map(String.init)
}

func count(
  _ shares: inout [String: Share], _ key: String, _ found: Bool, _ name: String, keeps: Bool,
  most: Int = 40
) {
  var share = shares[key, default: Share(found: 0, of: 0)]
  share.of += 1
  if found { share.found += 1 }
  if found == keeps, share.examples.count < most { share.examples.append(name) }
  shares[key] = share
}

func evaluate(_ domains: URL) throws -> Figures {
  var figures = Figures()
  let bundle = Bundle(folder: Places.resources)
  let clock = ContinuousClock()
  let start = clock.now
  let catalogue = try DomainCatalogue(bundle.domains())
  let inspector = LinkInspector(catalogue)
  figures.loadMilliseconds = (clock.now - start) / .milliseconds(1)
  func isLookAlike(_ domain: String) -> Bool { inspector.inspect(domain)?.bucket == .lookAlike }

  let listed = try lines(domains.appending(path: "dnstwist_permutations.csv")).dropFirst().map {
    $0.split(separator: ",").map(String.init)
  }
  for row in listed where row.count >= 3 {
    let found = isLookAlike(row[2])
    let name = row.count > 3 ? row[3] : row[2]
    count(&figures.permutations, row[1], found, name, keeps: false)
    count(&figures.permutations, "all", found, name, keeps: false)
    count(&figures.permutationsByBrand, row[0], found, name, keeps: false)
  }

  // Brands that the list does not have, at most eight permutations for each fuzzer, as the list was
  // drawn.
  let inList = Set(listed.map { $0[0] })
  var random = SplitMix(seed: 2_024)
  for line in try lines(Places.resources.appending(path: "brands.txt")) where !line.hasPrefix("#") {
    let fields = line.split(separator: "|", omittingEmptySubsequences: false)
    guard fields.count == 4, let first = fields[2].split(separator: " ").first else { continue }
    let domain = String(first.drop { "~!+".contains($0) })
    guard !inList.contains(domain) else { continue }
    var byFuzzer: [String: [String]] = [:]
    for item in Permutations(of: domain).all() {
      byFuzzer[item.fuzzer, default: []].append(item.domain)
    }
    for (fuzzer, all) in byFuzzer.sorted(by: { $0.key < $1.key }) {
      for name in all.shuffled(using: &random).prefix(8) {
        let found = isLookAlike(name)
        count(&figures.generated, fuzzer, found, name, keeps: false)
        count(&figures.generated, "all", found, name, keeps: false)
        count(&figures.generatedByBrand, domain, found, name, keeps: false)
      }
    }
  }

  let popular: [(String, [String])] = [
    (
      "tranco_top5k",
      try lines(domains.appending(path: "tranco_top5k_2024-09.csv")).dropFirst().compactMap {
        $0.split(separator: ",").last.map(String.init)
      }
    ), ("opendns_top", try lines(domains.appending(path: "opendns-top-domains.txt"))),
    ("opendns_random", try lines(domains.appending(path: "opendns-random-domains.txt"))),
  ]
  for (name, list) in popular {
    for domain in list {
      let report = inspector.inspect(domain)
      let found = report?.bucket == .lookAlike
      count(
        &figures.flagged, name, found,
        "\(domain) (\(report?.imitates ?? ""), \(report?.reason?.rawValue ?? ""))", keeps: true)
    }
    let begin = clock.now
    var rounds = 0
    while !list.isEmpty, clock.now - begin < .milliseconds(400) {
      for domain in list { _ = inspector.inspect(domain) }
      rounds += list.count
    }
    figures.hostsPerSecond[name] = Int(Double(rounds) / ((clock.now - begin) / .seconds(1)))
  }

  for (name, file) in [
    ("active", "url_shorteners.txt"), ("inactive", "url_shorteners_inactive.txt"),
  ] {
    for line in try lines(domains.appending(path: file)) where !line.hasPrefix("#") {
      let host = line.trimmingCharacters(in: .whitespaces)
      guard !host.isEmpty else { continue }
      let found = inspector.inspect("https://\(host)/x7Kq2")?.observations ?? []
      count(
        &figures.shorteners, "\(name), listed", found.contains("link.short"), host, keeps: false)
      count(
        &figures.shorteners, "\(name), listed or of the shape",
        found.contains("link.short") || found.contains("link.short_shaped"), host, keeps: false)
    }
  }
  for (name, list) in popular {
    for domain in list {
      let shaped =
        inspector.inspect("https://\(domain)/x7Kq2")?.observations.contains("link.short_shaped")
        == true
      count(&figures.shorteners, "of the shape in \(name)", shaped, domain, keeps: true, most: 8)
    }
  }
  for line in try lines(domains.appending(path: "ncsu_sms_fqdn.csv")).dropFirst() {
    guard let host = line.split(separator: ",").first else { continue }
    let bucket = inspector.inspect("https://\(host)/a")?.bucket.rawValue ?? "no link"
    figures.smishingBuckets[bucket, default: 0] += 1
  }

  figures.suffixVectors = try suffixVectors(domains.appending(path: "test_psl.txt"))
  figures.skeletons = try skeletons(
    domains.deletingLastPathComponent()
      .appending(path: "unicode_confusables/icu72_skeleton.tsv"))
  return figures
}

/// `checkPublicSuffix('host', 'registrable');`
func suffixVectors(_ place: URL) throws -> Share {
  let bytes = [UInt8](try Data(contentsOf: Places.resources.appending(path: "suffixes.bin")))
  let suffixes = try PublicSuffixes(decoding: bytes)
  var share = Share(found: 0, of: 0)
  for line in try lines(place) where line.hasPrefix("checkPublicSuffix(") {
    let parts = line.dropFirst("checkPublicSuffix(".count).prefix { $0 != ")" }
      .split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    guard parts.count == 2, parts[0] != "null" else { continue }
    func word(_ part: String) -> String? {
      part == "null" ? nil : part.trimmingCharacters(in: CharacterSet(charactersIn: "'"))
    }
    let expected = word(parts[1]).map(PublicSuffixes.resolved)
    let found = suffixes.registrableDomain(of: word(parts[0]) ?? "")
    share.of += 1
    if found == expected { share.found += 1 } else { share.examples.append(line) }
  }
  return share
}

func skeletons(_ place: URL) throws -> Share {
  var share = Share(found: 0, of: 0)
  for line in try lines(place) where !line.hasPrefix("#") {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
    guard fields.count >= 2 else { continue }
    func text(_ field: Substring) -> String {
      var result = ""
      for code in field.split(separator: " ") {
        if let scalar = UInt32(code, radix: 16).flatMap(Unicode.Scalar.init) {
          result.unicodeScalars.append(scalar)
        }
      }
      return result
    }
    share.of += 1
    let own = Confusables.skeleton(of: text(fields[0]))
    if own.unicodeScalars.elementsEqual(text(fields[1]).unicodeScalars) {
      share.found += 1
    } else {
      share.examples.append(String(line))
    }
  }
  return share
}

func table(_ title: String, _ shares: [String: Share], examples: Int) {
  print("\n\(title)")
  for (name, share) in shares.sorted(by: { $0.key < $1.key }) {
    let some = share.examples.prefix(examples).joined(separator: " ")
    print(
      "  \(name.padding(toLength: 34, withPad: " ", startingAt: 0)) \(share.percent)"
        + "  \(share.found) of \(share.of)" + (some.isEmpty ? "" : "  \(some)"))
  }
}

do {
  guard let data = option("--data") else {
    throw ToolError("give the folder of the lists: tools/eval-domains --data DIR [--json]")
  }
  let figures = try evaluate(Places.data(data, or: "domains"))
  if CommandLine.arguments.contains("--json") {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    print(String(decoding: try encoder.encode(figures), as: UTF8.self))
  } else {
    let verbose = CommandLine.arguments.contains("--examples")
    print("A host counts as found, or as flagged, when its bucket is look_alike.")
    table(
      "dnstwist_permutations.csv, found (behind it some that were not)", figures.permutations,
      examples: verbose ? 40 : 6)
    if verbose { table("the same by brand", figures.permutationsByBrand, examples: 12) }
    table(
      "other brands of brands.txt, our own permutations, at most 8 for each fuzzer and brand",
      figures.generated, examples: verbose ? 40 : 6)
    let ranked = figures.generatedByBrand.values.map { Double($0.found) / Double($0.of) }.sorted()
    print(
      "  brands: \(ranked.count), with 95 % or more: \(ranked.filter { $0 >= 0.95 }.count), "
        + "with less than 80 %: \(ranked.filter { $0 < 0.8 }.count)")
    if verbose { table("the same by brand", figures.generatedByBrand, examples: 6) }
    table("popular domains that are flagged (at most 0.10 %)", figures.flagged, examples: 40)
    table(
      "link shorteners, each with a path of five letters and digits", figures.shorteners,
      examples: 6)
    print(
      "\nhosts of real smishing, by bucket: \(figures.smishingBuckets.sorted { $0.key < $1.key })")
    if let share = figures.suffixVectors {
      table("public suffixes", ["vectors of test_psl.txt": share], examples: 40)
    }
    if let share = figures.skeletons {
      table("UTS #39", ["skeletons as ICU has them": share], examples: 5)
    }
    print(
      String(format: "\nlists read in %.1f ms; hosts/s on one core:", figures.loadMilliseconds),
      figures.hostsPerSecond.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        .joined(separator: ", "))
  }
} catch {
  FileHandle.standardError.write(Data("eval-domains: \(error)\n".utf8))
  exit(1)
}
