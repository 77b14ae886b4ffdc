import KithJSON
import KithManifest
import KithTerminal

/// `kith help manifest` and `kith help plugin`: every key by the table that the decoder reads by,
/// with a whole example.
enum ManifestHelp: String, CaseIterable {
  /// The manifest of a product.
  case manifest
  /// The `plugin.yaml` of a plugin.
  case plugin

  private var title: String {
    switch self {
    case .manifest: "A product's manifest"
    case .plugin: "plugin.yaml"
    }
  }

  private var introduction: [String] {
    switch self {
    case .manifest:
      [
        """
        A product is a YAML file that names its workers and configures them. `kith plan FILE` checks it: it reports every \
        error with its place and the expected value, and exits with 65.
        """,
        """
        Products are `products/NAME.yaml` in a folder of plugins, or any file: `kith up NAME`, `kith up ./my-product.yaml`. \
        `kith help plugin` says where plugins are searched.
        """,
        """
        `extends: milo` begins with another product, by name or by path (`./base.yaml`), one level deep. What this file \
        states overrides it key by key, and `NAME: none` drops a worker, remote service or alert of it.
        """,
      ]
    case .plugin:
      [
        """
        A plugin is a folder with a `plugin.yaml` and a program. `kith plugin new NAME` writes one into a checkout of Kith.
        """,
        """
        Plugins are searched in the folders of --plugins, then KITH_PLUGIN_PATH (colons between), then share/kith/plugins \
        beside an installed Kith, then the Plugins folder of a checkout. The first plugin of a name counts. Such a folder:
        """,
      ]
    }
  }

  /// The layout of a folder of plugins; empty where it is of no matter.
  private var layout: [String] {
    guard self == .plugin else { return [] }
    return [
      "my-plugins/",
      "  PillBox/plugin.yaml            the plugin",
      "  PillBox/bin/pill-box-worker    its program, or in the folder of kithd",
      "  products/my-product.yaml       products, by name",
    ]
  }

  private static let values = """
    Durations have a unit: 500ms, 30s, 1h30m, 7d. Sizes have a unit: 64KiB, 256MiB, 1.5GiB, 10MB. Names have small letters, \
    digits and single hyphens, a letter first. Unknown keys are errors.
    """

  /// The sections, each under the path that leads to it.
  var sections: [(path: String, section: ManifestSection)] {
    let own = self == .manifest ? ManifestSection.ofProducts : ManifestSection.ofPlugins
    return (own + ManifestSection.ofBoth).map { (path(of: $0.name), $0) }
  }

  private func path(of section: String) -> String {
    let worker = self == .manifest ? "workers.NAME." : ""
    return switch section {
    case "product", "plugin": ""
    case "workers", "alerts", "config": "\(section).NAME"
    case "remote": "remote.SERVICE"
    case "listen": "workers.NAME.listen"
    case "requires": "requires[]"
    case "budgets", "backoff", "quarantine": "\(worker)restart.\(section)"
    case "budget": "\(worker)restart.budgets.CAUSE"
    case "restart", "limits", "store", "http": "\(worker)\(section)"
    default: section
    }
  }

  // MARK: As text

  /// The page, at most so many columns wide.
  func lines(_ terminal: Terminal) -> [String] {
    let width = min(terminal.width, 100)
    var lines = [terminal.text(title, .bold)]
    for paragraph in introduction { lines += [""] + TextWidth.wrapped(paragraph, width: width) }
    if !layout.isEmpty { lines += [""] + layout.map { "  \($0)" } }
    lines += [""] + TextWidth.wrapped(Self.values, width: width)
    for (path, section) in sections {
      lines += ["", terminal.text(path.isEmpty ? "Keys of the file" : path, .bold)]
      lines += TextWidth.wrapped(section.doc, width: width - 2).map { "  \($0)" }
      lines += [""] + section.keys.flatMap { Self.lines(of: $0, width: width, terminal) }
    }
    lines += ["", terminal.text("A whole example", .bold), ""]
    return lines
      + example.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "" : "  \($0)" }
  }

  /// A key: its type and default beside its name, what it does below.
  private static func lines(
    of key: ManifestKey, width: Int, _ terminal: Terminal
  ) -> [String] {
    let column = 20
    let facts = [
      ([key.type, key.range].compactMap(\.self).joined(separator: ", ")),
      key.defaultText.map { "default: \($0)" } ?? "required",
    ].joined(separator: "; ")
    let space = String(repeating: " ", count: column)
    let first = TextWidth.wrapped(facts, width: width - column)
    return [
      terminal.text("  " + TextWidth.padded(key.name, to: column - 2), .bold)
        + terminal.text(first[0], .faint)
    ] + first.dropFirst().map { space + terminal.text($0, .faint) }
      + TextWidth.wrapped(key.doc, width: width - column).map { space + $0 }
  }

  // MARK: As JSON

  /// The sections with their keys, and the example.
  var json: JSONValue {
    [
      "title": .string(title),
      "introduction": .array((introduction + [Self.values]).map { .string($0) }),
      "sections": .array(
        sections.map { path, section in
          [
            "path": .string(path), "doc": .string(section.doc),
            "keys": .array(section.keys.map(Self.json)),
          ]
        }),
      "example": .string(example),
    ]
  }

  private static func json(_ key: ManifestKey) -> JSONValue {
    var object: JSONObject = ["name": .string(key.name), "type": .string(key.type)]
    if let range = key.range { object["range"] = .string(range) }
    object["required"] = .bool(key.isRequired)
    if let standard = key.defaultText { object["default"] = .string(standard) }
    object["doc"] = .string(key.doc)
    return .object(object)
  }
}
