/// What a test boots: a product and the plugins that it is made of.
public struct ProductSetup: Sendable {
  /// A program of a plugin that is a script, for workers that misbehave in ways that no SDK allows.
  public struct Script: Sendable {
    /// Its name in `plugin.yaml`.
    public var name: String
    /// Its text, `#!/bin/sh` and all.
    public var text: String

    /// A script.
    public init(name: String, text: String) {
      self.name = name
      self.text = text
    }
  }

  /// A plugin that is written for the test.
  public struct Plugin: Sendable {
    /// The text of its `plugin.yaml`.
    public var manifest: String
    /// Its programs that are scripts; others are found beside `kithd`.
    public var scripts: [Script]

    /// A plugin.
    public init(manifest: String, scripts: [Script] = []) {
      self.manifest = manifest
      self.scripts = scripts
    }

    /// Writes it as a plugin folder of this name.
    public func write(to folder: TemporaryFolder, as name: String) throws(TestingError) {
      try folder.write(manifest, to: "\(name)/plugin.yaml")
      for script in scripts {
        try folder.write(script.text, to: "\(name)/bin/\(script.name)", mode: 0o755)
      }
    }
  }

  /// The product: the name of one that ships, or the text of a manifest, which has more than one line.
  public var product: String
  /// Plugins that are written for the test, beside those that ship.
  public var plugins: [Plugin]
  /// Variables over those of the test itself.
  public var environment: [String: String?]
  /// What `kithd run` is called with besides: `["--virtual-time", "0"]`.
  public var hostOptions: [String] = []

  /// A product and its plugins.
  public init(
    product: String, plugins: [Plugin] = [], environment: [String: String?] = [:]
  ) {
    self.product = product
    self.plugins = plugins
    self.environment = environment
  }

  /// Writes what must be files below a folder and returns the arguments of `kithd run`.
  public func launchArguments(writingTo folder: TemporaryFolder) throws(TestingError) -> [String] {
    var arguments = ["run", "--root", "\(folder.path)/r", "--plugins", "\(folder.path)/plugins"]
    if product.contains("\n") {
      try folder.write(product, to: "plugins/products/product.yaml")
      arguments += ["--product", "\(folder.path)/plugins/products/product.yaml"]
    } else {
      try folder.write("", to: "plugins/products/.keep")
      arguments += ["--product", product]
    }
    for (index, plugin) in plugins.enumerated() {
      try plugin.write(to: folder, as: "plugins/p\(index)")
    }
    return arguments + hostOptions
  }
}
