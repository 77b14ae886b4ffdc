import Crypto
import KithSealing
import Testing

/// The keys of one worker: derived from the product's, and handed over.
@Suite struct WorkerKeyTests {
  private let place = SealedPlace(table: "person", column: "name", row: "1")
  private let text = Array("Ada".utf8)

  /// A ring of keys with known secrets: each byte is its id.
  private func ring(_ ids: UInt8...) throws -> KeyRing {
    let lines = ids.map { id in
      "\(id) \(Hexadecimal.text(of: [UInt8](repeating: id, count: 32)))\n"
    }
    return try #require(KeyRing(text: "kith sealing keys, format 1\n\(lines.joined())"))
  }

  private func secret(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

  @Test func aKeyIsDerivedAsInExistingStores() throws {
    // By hand: HKDF-SHA256 without salt of the bytes 0 to 31, with "kith sealing", a zero byte and
    // "reminders" as info.
    let line = "7 \(Hexadecimal.text(of: 0..<32))\n"
    let ring = try #require(KeyRing(text: "kith sealing keys, format 1\n\(line)"))
    let key = try #require(ring.keys(of: "reminders").first)
    #expect(key.id == 7)
    #expect(
      Hexadecimal.text(of: key.bytes)
        == "f2ac445608ac589d16f3da64bef67e258d2cafef4fc858afdc7e10b529a53c1d")
    // What an earlier version has sealed: version, id, then nonce, text and tag, bound to table,
    // column and row.
    let box = try ChaChaPoly.seal(
      text, using: SymmetricKey(data: key.bytes), authenticating: Array("person\0name\01".utf8))
    let sealed = [1, 0, 0, 0, 7] + Array(box.combined)
    let opened = try SealingKeys([key]).open(sealed, at: place)
    #expect(opened == text)
  }

  @Test func theKeyOfOneWorkerOpensNothingOfAnother() throws {
    let ring = try ring(1)
    let sealed = try SealingKeys(ring.keys(of: "reminders")).seal(text, at: place)
    #expect(try SealingKeys(ring.keys(of: "reminders")).open(sealed, at: place) == text)
    for other in ["falls", "reminder", "reminders2", ""] {
      let keys = try SealingKeys(ring.keys(of: other))
      #expect(throws: SealingError.self) { try keys.open(sealed, at: place) }
    }
    // Nor can a worker's key stand for the product's.
    #expect(ring.keys(of: "reminders")[0].bytes != secret(1))
  }

  @Test func theFirstKeySealsAndAllOpen() throws {
    let ring = try ring(2, 1)
    let keys = ring.keys(of: "test")
    #expect(keys.map(\.id) == [2, 1])
    let sealing = try SealingKeys(keys)
    #expect(sealing.header == [1, 0, 0, 0, 2])
    let older = try SealingKeys([keys[1]]).seal(text, at: place)
    #expect(try sealing.open(older, at: place) == text)
  }

  @Test func theNextKeyIsHandedOverBehindTheOneThatSeals() throws {
    var ring = try ring(2, 1)
    ring.introduce()
    let next = try #require(ring.next)
    #expect(ring.keys(of: "test").map(\.id) == [2, 1, next.id])
    ring.introduce()
    #expect(ring.next == next)
    ring.rotate()
    #expect(ring.keys(of: "test").map(\.id) == [next.id, 2, 1])
    ring.rotate()
    #expect(ring.keys.count == 4 && ring.keys[1] == next && ring.next == nil)
  }

  @Test func keysThatWereThereBeforeGoOnOpening() throws {
    let (first, second) = (try ring(1).keys(of: "test"), try ring(2).keys(of: "test"))
    let sealing = try SealingKeys(first)
    let older = try sealing.seal(text, at: place)
    try sealing.take(second)
    #expect(sealing.header == [1, 0, 0, 0, 2])
    let newer = try sealing.seal(text, at: place)
    #expect(newer.starts(with: sealing.header))
    #expect(try sealing.open(older, at: place) == text)
    #expect(try sealing.open(newer, at: place) == text)
    #expect(try SealingKeys(second).open(newer, at: place) == text)
    // Back to the first: the order says which seals, not the time.
    try sealing.take(first + second)
    #expect(sealing.header == [1, 0, 0, 0, 1])
    #expect(try sealing.open(newer, at: place) == text)
  }

  @Test func keysThatCannotBeUsedAreRefusedAndChangeNothing() throws {
    let key = try WorkerKey(id: 1, secret: secret(1))
    let twin = try WorkerKey(id: 1, secret: secret(2))
    let other = try WorkerKey(id: 2, secret: secret(2))
    #expect(throws: SealingError.self) { try SealingKeys([]) }
    #expect(throws: SealingError.self) { try SealingKeys([key, twin]) }
    let sealing = try SealingKeys([key])
    let sealed = try sealing.seal(text, at: place)
    // An id stands for one key for ever: what that has sealed must go on opening.
    for keys in [[], [twin, key], [other, key, key], [twin], [other, twin]] {
      #expect(throws: SealingError.self) { try sealing.take(keys) }
      #expect(sealing.header == [1, 0, 0, 0, 1])
      #expect(try sealing.open(sealed, at: place) == text)
    }
  }

  @Test func aKeyHasAnIdAndThirtyTwoBytes() throws {
    #expect(throws: SealingError.self) { try WorkerKey(id: 0, secret: secret(1)) }
    for count in [0, 16, 31, 33, 64] {
      #expect(throws: SealingError.self) {
        try WorkerKey(id: 1, secret: [UInt8](repeating: 1, count: count))
      }
    }
    let largest = try WorkerKey(id: .max, secret: secret(3))
    #expect(largest.id == .max && largest.bytes == secret(3))
    let sealed = try SealingKeys([largest]).seal(text, at: place)
    #expect(sealed.starts(with: [1, 255, 255, 255, 255]))
    #expect(try SealingKeys([largest]).open(sealed, at: place) == text)
  }

  @Test func keysOfAnotherRingOpenAndDoNotSeal() throws {
    var ring = try ring(1)
    let other = try self.ring(2, 1, 3)
    ring.add(other)
    #expect(ring.keys.map(\.id) == [1, 2, 3])
    ring.introduce()
    var late = KeyRing(text: ring.text)
    late?.add(ring)
    #expect(late == ring)
    // The next key of the other may have sealed there by the time that it is opened here.
    let next = try #require(ring.next)
    var alone = try self.ring(4)
    #expect(!alone.hasOlder)
    alone.add(ring)
    #expect(alone.keys.map(\.id) == [4, 1, 2, 3, next.id] && alone.next == nil && alone.hasOlder)
  }
}
