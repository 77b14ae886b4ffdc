import Crypto
import FoundationEssentials
import RiskEngineService

/// A copy of the bundle that ships, to be changed and damaged; gone with its owner.
final class BundleCopy: Sendable {
  let folder: String

  init() throws {
    let files = FileManager.default
    folder = files.temporaryDirectory.appending(path: "kith-bundle-\(UUID().uuidString)").path
    try files.copyItem(atPath: Fixtures.resources, toPath: folder)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  subscript(name: String) -> [UInt8] {
    get throws { [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))) }
  }

  /// Writes a file without a word to the seal.
  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)"))
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
  }

  /// Has the seal say what is there now, as `tools/seal-risk-bundle` does.
  func seal() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0 != "SHA256SUMS" }
    let lines = try names.sorted().map { name in
      let digits = try SHA256.hash(data: self[name]).map {
        String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
      }
      return "\(digits.joined())  \(name)\n"
    }
    try write(Array(lines.joined().utf8), to: "SHA256SUMS")
  }

  /// What a load of it is refused with; empty when it is not.
  func refusal() -> String {
    do throws(ResourceError) {
      _ = try ResourceBundle(folder: folder)
      return ""
    } catch {
      return error.description
    }
  }
}
