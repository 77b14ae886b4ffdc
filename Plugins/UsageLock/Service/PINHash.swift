import Crypto
import CryptoExtras
import FoundationEssentials

/// A PIN as it is kept: scrypt over a salt of its own.
///
/// One at a time is worked out, since each takes 32 MiB and some 100 ms.
actor PINHash {
  private static let rounds = 1 << 15
  private static let blockSize = 8

  /// The text that is kept of a PIN.
  func text(of pin: String) throws -> String {
    var random = SystemRandomNumberGenerator()
    let salt = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    let key = try Self.key(pin, salt, Self.rounds, Self.blockSize)
    let hash = key.withUnsafeBytes { Data($0).base64EncodedString() }
    return "scrypt \(Self.rounds) \(Self.blockSize) \(Data(salt).base64EncodedString()) \(hash)"
  }

  /// Whether a PIN is the one of a kept text.
  func matches(_ pin: String, _ text: String) throws -> Bool {
    let parts = text.split(separator: " ").map(String.init)
    guard parts.count == 5, parts[0] == "scrypt", let rounds = Int(parts[1]),
      let blockSize = Int(parts[2]), let salt = Data(base64Encoded: parts[3]),
      let hash = Data(base64Encoded: parts[4])
    else { return false }
    // Compared in the same time whatever they are.
    return try Self.key(pin, Array(salt), rounds, blockSize) == SymmetricKey(data: hash)
  }

  private static func key(
    _ pin: String, _ salt: [UInt8], _ rounds: Int, _ blockSize: Int
  ) throws -> SymmetricKey {
    try KDF.Scrypt.deriveKey(
      from: Array(pin.utf8), salt: salt, outputByteCount: 32, rounds: rounds,
      blockSize: blockSize, parallelism: 1)
  }
}
