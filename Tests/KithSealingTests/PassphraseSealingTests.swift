import KithSealing
import Testing

/// A ring that only who knows a passphrase can read.
@Suite struct PassphraseSealingTests {
  private let ring = KeyRing()

  @Test func thePassphraseHasTwelveBytesOrMore() throws {
    for short in ["", "short", "elevenbytes", "fünf umlä"] {
      let error = #expect(throws: SealingError.self) { try PassphraseSealing(passphrase: short) }
      #expect(error?.message.contains("12") == true)
    }
    let shortest = try PassphraseSealing(passphrase: "twelve bytes")
    #expect(try shortest.open(try shortest.seal(ring)) == ring)
  }

  @Test func itOpensWithTheSamePassphraseAlone() throws {
    let sealing = try PassphraseSealing(passphrase: "correct horse battery")
    let sealed = try sealing.seal(ring)
    #expect(try PassphraseSealing(passphrase: "correct horse battery").open(sealed) == ring)
    let other = try PassphraseSealing(passphrase: "correct horse batterx")
    #expect(throws: SealingError.self) { try other.open(sealed) }
    // With a salt of its own: the same ring under the same passphrase is other bytes, from the
    // first on.
    let again = try sealing.seal(ring)
    #expect(again.prefix(16) != sealed.prefix(16) && again.dropFirst(28) != sealed.dropFirst(28))
    // Salt, nonce, text and tag.
    for index in [0, 16, 28, sealed.count - 1] {
      var changed = sealed
      changed[index] ^= 1
      #expect(throws: SealingError.self) { try sealing.open(changed) }
    }
    for count in [0, 16, sealed.count - 1] {
      #expect(throws: SealingError.self) { try sealing.open(Array(sealed.prefix(count))) }
    }
  }

  @Test func whatAnEarlierVersionHasSealedOpens() throws {
    let sealed = try #require(
      Hexadecimal.bytes(
        "2b04523fb9e8c74abdf28ce7de1fe99faa467d04d9c30f1d71f9fa1492248738"
          + "20e6e379808f1e25fb0cea21a06933930ce5fbf17c4b9c51f5603605cd1be06b"
          + "99ac9492da6aee53c79b848bb144844aae8feafe81e6013fcaf190110ee15b17"
          + "f5def6d753d645f7c745521eed75d988c35c47b363766473ed3f049526f2e611"
          + "0608b813861465f793ca94"))
    let ring = try PassphraseSealing(passphrase: "correct horse battery").open(sealed)
    #expect(ring.keys.map(\.id) == [7])
    #expect(ring.text.contains(String(repeating: "0f", count: 32)))
  }
}
