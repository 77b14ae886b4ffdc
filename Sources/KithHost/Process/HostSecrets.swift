import Glibc
import KithIdentity
import KithManifest

/// What the host keeps to prove and to check who calls: made with a product's first host, kept for
/// the next while workers run, and removed when the product is ended.
struct HostSecrets: Sendable {
  let token: OperatorToken
  let passKey: PassKey

  /// Those of a product; made where there are none that can be read.
  init(_ places: ProductPlaces) throws(SystemError) {
    if let token = OperatorToken(path: places.operatorTokenFile) {
      self.token = token
    } else {
      token = OperatorToken()
      try DurableFile.replace(places.operatorTokenFile, with: Array(token.fileText.utf8))
    }
    if let bytes = try DurableFile.read(places.passKeyFile), let key = PassKey(bytes: bytes) {
      passKey = key
    } else {
      passKey = PassKey()
      try DurableFile.replace(places.passKeyFile, with: passKey.bytes)
    }
  }

  /// Writes them again where they were removed.
  func write(_ places: ProductPlaces) throws(SystemError) {
    try DurableFile.createPrivateFolder(places.hostDirectory)
    try DurableFile.replace(places.operatorTokenFile, with: Array(token.fileText.utf8))
    try DurableFile.replace(places.passKeyFile, with: passKey.bytes)
  }

  /// Removes them: nothing runs any more that knows them.
  static func remove(_ places: ProductPlaces) {
    unlink(places.operatorTokenFile)
    unlink(places.passKeyFile)
    // What commands keep of the workers' contracts.
    for name in (try? DurableFile.names(in: places.hostDirectory)) ?? []
    where name.hasPrefix(ProductPlaces.contractsPrefix) {
      unlink("\(places.hostDirectory)/\(name)")
    }
    rmdir(places.hostDirectory)
  }
}
