public import Foundation

/// Where the repository keeps what the tools need, found from this file's own place.
public enum Places {
  /// The root of the repository.
  public static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  /// The engine's resources.
  public static let resources = root.appending(path: "Plugins/RiskEngine/Resources")
  /// What is to be known of the model.
  public static let modelCard = root.appending(path: "Plugins/RiskEngine/MODEL.md")
  /// This package.
  public static let package = root.appending(path: "tools/risk-training")
  /// The folder that `--data` names, or the one of that name in it.
  public static func data(_ given: String, or name: String) -> URL {
    let folder = URL(filePath: given)
    let inner = folder.appending(path: name)
    return FileManager.default.fileExists(atPath: inner.path) ? inner : folder
  }
  /// The folder of our own templates.
  public static let templates = package.appending(path: "templates")
  /// The folder of our own texts that are written out.
  public static let written = package.appending(path: "written")
}

/// The value behind a flag, or nil.
public func option(_ name: String) -> String? {
  let arguments = CommandLine.arguments
  guard let at = arguments.firstIndex(of: name), at + 1 < arguments.count else { return nil }
  return arguments[at + 1]
}
