import KithManifest
import KithTesting
import Testing

/// The YAML of the manual is read as a manifest, whole ones as they are and parts with what a
/// manifest must have.
@Suite struct ManifestListingTests {
  private static let root =
    "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

  private static let plugin = "plugin: pill-box\nversion: 1.0.0\nexecutable: pill-box-worker\n"
  private static let product = "product: my-product\n"
  private static let keysOfProducts: Set<String> = [
    "alerts", "metrics", "pager", "remote", "workers",
  ]

  private static func listings() -> [(page: String, text: String)] {
    ["KithHost", "KithWorker"].flatMap { module in
      let folder = "\(root)/Sources/\(module)/\(module).docc"
      return TemporaryFolder.names(in: folder).flatMap { page in
        let text = TemporaryFolder.text(of: "\(folder)/\(page)") ?? ""
        return text.split(separator: "\n```yaml\n").dropFirst().map { part in
          (page, part.split(separator: "\n```\n").first.map { "\($0)\n" } ?? "")
        }
      }
    }
  }

  @Test func thePagesNameEveryKey() {
    let folder = "\(Self.root)/Sources/KithHost/KithHost.docc"
    let pages = ["Manifests", "MoreThanOneMachine"].compactMap {
      TemporaryFolder.text(of: "\(folder)/\($0).md")
    }.joined()
    let sections =
      ManifestSection.ofProducts + ManifestSection.ofPlugins + ManifestSection.ofBoth
    for key in sections.flatMap(\.keys).map(\.name) {
      let forms = ["`\(key)`", "`\(key).", ".\(key)`", "`\(key):", "{ \(key):"]
      #expect(forms.contains { pages.contains($0) }, "no page names the key '\(key)'")
    }
  }

  @Test func theListingsAreManifests() throws {
    let listings = Self.listings()
    #expect(listings.count > 8)
    for (page, text) in listings {
      let key = String(text.prefix { $0 != ":" })
      do throws(ManifestErrors) {
        switch key {
        case "plugin": _ = try PluginManifest(parsing: text, file: page)
        case "product": _ = try ProductManifest(parsing: text, file: page)
        case let key where Self.keysOfProducts.contains(key):
          let workers = text.contains("workers:") ? "" : "workers: { risk-engine: {} }\n"
          _ = try ProductManifest(parsing: Self.product + workers + text, file: page)
        default: _ = try PluginManifest(parsing: Self.plugin + text, file: page)
        }
      } catch {
        Issue.record("\(page): the listing that begins with '\(key)' is no manifest: \(error)")
      }
    }
  }
}
