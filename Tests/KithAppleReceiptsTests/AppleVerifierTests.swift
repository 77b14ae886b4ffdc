import Foundation
import KithAppleReceipts
import KithJSON
import KithTime
import TestCertificates
import Testing

/// What Apple signs, with an own chain. The numbers are those of the edge cases of billing that the
/// work was accepted by.
@Suite struct AppleVerifierTests {
  private static let begin = 1_790_000_000.0
  private let now = Instant(seconds: Int(Self.begin) + 86_400)
  private let chain: SigningChain

  init() throws { chain = try SigningChain(begin: Self.begin) }

  private func transaction(
    _ environment: String = "Production", bundle: String = "app.milo"
  ) -> JSONValue {
    [
      "bundleId": .string(bundle), "environment": .string(environment),
      "originalTransactionId": "1000", "signedDate": .integer(Int64(now.milliseconds)),
    ]
  }

  private func verifier(
    _ environment: AppleVerifier.Environment = .production, roots: [[UInt8]]? = nil,
    appAppleID: Int64? = 7
  ) throws -> AppleVerifier {
    try AppleVerifier(
      roots: roots ?? [chain.root], bundleID: "app.milo", appAppleID: appAppleID,
      environment: environment)
  }

  private func refusal(
    _ statement: [UInt8], _ verifier: AppleVerifier? = nil,
    _ subject: AppleVerifier.Subject = .transaction, time: AppleVerifier.Time = .whenSigned,
    now: Instant? = nil
  ) async throws -> AppleProblem.Code? {
    let verifier = try verifier ?? self.verifier()
    do throws(AppleProblem) {
      _ = try await verifier.verify(statement, about: subject, time: time, now: now ?? self.now)
      return nil
    } catch {
      return error.code
    }
  }

  /// 1.
  @Test func whatTheChainSignedIsTaken() async throws {
    let payload = transaction()
    let read = try await verifier().verify(
      chain.statement(payload), about: .transaction, now: now)
    #expect(read == payload)
  }

  /// 2, 3 and 4.
  @Test func theChainIsOfThreeAndMarked() async throws {
    let noLeafMark = try SigningChain(begin: Self.begin, marksLeaf: false)
    let noMark = try SigningChain(begin: Self.begin, marksIntermediate: false)
    for other in [noLeafMark, noMark] {
      let verifier = try verifier(roots: [other.root])
      #expect(try await refusal(other.statement(transaction()), verifier) == .marker)
    }
    for certificates in [
      [], [chain.leaf], [chain.leaf, chain.intermediate],
      [chain.leaf, chain.intermediate, chain.root, chain.root],
      Array(repeating: chain.leaf, count: 100), [[], [], []],
    ] {
      let statement = try chain.statement(transaction(), certificates: certificates)
      #expect(try await refusal(statement) == .certificates)
    }
  }

  /// 5.
  @Test(arguments: ["none", "HS256", "ES384", "es256", ""])
  func anotherAlgorithmIsRefused(algorithm: String) async throws {
    let statement = try chain.statement(transaction(), algorithm: algorithm)
    #expect(try await refusal(statement) == .algorithm)
  }

  /// 6.
  @Test func theRootOfTheStatementIsNotTrusted() async throws {
    let attacker = try SigningChain(begin: Self.begin)
    #expect(try await refusal(attacker.statement(transaction())) == .chain)
    let mixed = try chain.statement(
      transaction(), certificates: [chain.leaf, chain.intermediate, attacker.root])
    #expect(try await refusal(mixed) == nil)
    let forged = try attacker.statement(
      transaction(), certificates: [attacker.leaf, chain.intermediate, chain.root])
    #expect(try await refusal(forged) == .chain)
  }

  /// 7.
  @Test func anExpiredCertificateHoldsForWhatItSignedInItsTime() async throws {
    let statement = try chain.statement(transaction())
    let later = Instant(seconds: Int(Self.begin) + 400 * 86_400)
    #expect(try await refusal(statement, now: later) == nil)
    #expect(try await refusal(statement, time: .now, now: later) == .chain)
    // Where it does not say when it was signed, it is now.
    let timeless = try chain.statement(["bundleId": "app.milo", "environment": "Production"])
    #expect(try await refusal(timeless) == nil)
    #expect(try await refusal(timeless, now: later) == .chain)
  }

  /// 8.
  @Test func aSignatureInDERIsNone() async throws {
    let statement = try chain.statement(transaction(), inDER: true)
    #expect(try await refusal(statement) == .signature)
  }

  /// 9.
  @Test func anotherAppOrEnvironmentIsRefused() async throws {
    let other = try chain.statement(transaction(bundle: "app.other"))
    #expect(try await refusal(other) == .app)
    for environment in ["Sandbox", "Xcode", "LocalTesting", "production", ""] {
      let statement = try chain.statement(transaction(environment))
      #expect(try await refusal(statement) == .environment)
    }
    // What Xcode signs is taken where that is configured, and nowhere else.
    let xcode = try SigningChain(begin: Self.begin).statement(transaction("Xcode"))
    #expect(try await refusal(xcode) == .chain)
    #expect(try await refusal(xcode, verifier(.xcode, roots: [])) == nil)
    #expect(throws: AppleProblem.self) { try verifier(roots: []) }
  }

  @Test func aNotificationNamesTheAppInProduction() async throws {
    func statement(_ app: JSONValue?) throws -> [UInt8] {
      var data: JSONObject = ["bundleId": "app.milo", "environment": "Production"]
      data["appAppleId"] = app
      return try chain.statement(
        ["data": .object(data), "signedDate": .integer(Int64(now.milliseconds))])
    }
    #expect(try await refusal(statement(7), nil, .notification) == nil)
    #expect(try await refusal(statement(8), nil, .notification) == .app)
    #expect(try await refusal(statement(nil), nil, .notification) == .app)
    #expect(
      try await refusal(statement(nil), verifier(appAppleID: nil), .notification) == .app)
    #expect(try await refusal(chain.statement(transaction()), nil, .notification) == .malformed)
  }

  /// 10: a bit flipped anywhere.
  @Test func aFlippedBitIsSeen() async throws {
    let statement = try chain.statement(transaction())
    let verifier = try verifier()
    for position in statement.indices {
      var flipped = statement
      flipped[position] ^= 1 << (position % 7)
      #expect(try await refusal(flipped, verifier) != nil, "byte \(position)")
    }
  }

  @Test func whatIsNoStatementIsRefused() async throws {
    let statement = try chain.statement(transaction())
    let text = String(decoding: statement, as: UTF8.self)
    for wrong in ["", ".", "..", "...", "a.b.c", text + ".", text + "=", "." + text] {
      #expect(try await refusal(Array(wrong.utf8)) == .malformed, "\(wrong.prefix(9))")
    }
    #expect(try await refusal(Array((text + "A").utf8)) == .signature)
    let large = Array(repeating: UInt8(ascii: "A"), count: 10 << 20)
    #expect(try await refusal(large) == .tooLarge)
    // A name that stands twice.
    let parts = text.split(separator: ".")
    let twice = SigningChain.base64URL(#"{"bundleId":"app.milo","bundleId":"app.other"}"#)
    #expect(try await refusal(Array("\(parts[0]).\(twice).\(parts[2])".utf8)) == .malformed)
  }
}
