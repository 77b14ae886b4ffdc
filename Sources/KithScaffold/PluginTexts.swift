/// The texts that a new plugin is made of, with places for its names in double braces.
package struct PluginTexts: Sendable {
  /// A file by its path.
  package struct File: Sendable, Equatable {
    /// The path, from the folder that it belongs to.
    package let path: String
    /// What it holds.
    package let text: String

    /// A file.
    package init(_ path: String, _ text: String) {
      self.path = path
      self.text = text
    }
  }

  /// The contract.
  package let proto: String
  /// The files of the plugin's folder, by their paths in it.
  package let plugin: [File]
  /// The files of its tests' folder.
  package let tests: [File]
  /// What to try, behind `kith NAME`.
  package let trial: String
}
