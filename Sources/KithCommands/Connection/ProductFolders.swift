import Glibc
import KithManifest

/// The folders of this person's products where they are by default.
struct ProductFolders {
  /// The folders that hold a folder for each product: that of states and that of sockets.
  let parents: [String]

  init(environment: [String: String]) {
    // The places of a made-up product show the folders that products are in.
    let madeUp = "a-product-that-nobody-has"
    guard let example = try? ProductPlaces(product: madeUp, environment: environment) else {
      parents = []
      return
    }
    let folders = [example.runtimeDirectory, example.stateDirectory].map { path in
      // `.../kith/NAME`, or `.../kith/NAME/run` below the state: the folder that holds `NAME` is
      // wanted.
      "/" + path.split(separator: "/").prefix { $0 != madeUp }.joined(separator: "/")
    }
    parents = folders[0] == folders[1] ? [folders[0]] : folders
  }

  /// The names of products that have a folder, sorted.
  var names: [String] {
    Set(parents.flatMap(Folder.names)).sorted()
  }

  /// A folder among these, or of a product in them, that this user may not look into.
  var closed: String? {
    let folders =
      parents
      + parents.flatMap { parent in
        Folder.names(in: parent).map { "\(parent)/\($0)" }
      }
    return folders.first { access($0, X_OK) != 0 && errno == EACCES }
  }
}

/// Folders of the file system.
enum Folder {
  /// The names in a folder, sorted, those that begin with a dot apart; none when it cannot be read.
  static func names(in path: String) -> [String] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
          String(cString: $0)
        }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }
}
