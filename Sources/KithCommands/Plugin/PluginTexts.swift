/// The texts that a new plugin is made of, with places for its names in double braces.
struct PluginTexts: Sendable {
  /// A file by its path.
  struct File: Sendable, Equatable {
    let path: String
    let text: String

    init(_ path: String, _ text: String) {
      self.path = path
      self.text = text
    }
  }

  /// The contract.
  let proto: String
  /// The files of the plugin's folder, by their paths in it.
  let plugin: [File]
  /// The files of its tests' folder.
  let tests: [File]
  /// What to try, behind `kith NAME`.
  let trial: String
}
