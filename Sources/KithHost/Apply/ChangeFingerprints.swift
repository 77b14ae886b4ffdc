import Crypto
import KithManifest
import KithPlanning

/// Stands for planned changes without telling anything about them. Valid for as long as the host
/// runs.
struct ChangeFingerprints: Sendable {
  private let key = SymmetricKey(size: .bits256)

  /// The fingerprint of changes; that of the same changes is the same.
  func of(_ changes: PlannedChanges) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: Array(changes.essence.utf8), using: key))
  }
}
