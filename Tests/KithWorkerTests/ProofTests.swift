import Testing

@testable import KithWorker

@Suite struct ProofTests {
  private let secret = [UInt8](0..<32)
  private let nonce = [UInt8](repeating: 7, count: 32)

  /// Computed with Python: hmac.new(bytes(range(32)), b"kith-host\0" + b"\7" * 32, "sha256").
  @Test func isTheContract() {
    let proof = Proof(secret: secret)
    #expect(
      proof.hostProof(nonce: nonce)
        == bytes(
          "2e666da486f625abc080ddcfb1ba171917d292be463313538bdc0951595bf99e"))
    #expect(
      proof.workerProof(nonce: nonce, product: "milo", worker: "risk-engine", generation: 258)
        == bytes("55e2f462cd23ff8c6df75ecc6955795fdef2c232de0d208fe348fae9c7c5b1a2"))
  }

  @Test func takesOnlyTheRightProof() {
    let proof = Proof(secret: secret)
    let right = proof.hostProof(nonce: nonce)
    #expect(proof.isValid(hostProof: right, nonce: nonce))
    for position in right.indices {
      var wrong = right
      wrong[position] ^= 1
      #expect(!proof.isValid(hostProof: wrong, nonce: nonce))
    }
    #expect(!proof.isValid(hostProof: [], nonce: nonce))
    #expect(!proof.isValid(hostProof: right.dropLast(), nonce: nonce))
    #expect(!proof.isValid(hostProof: right + [0], nonce: nonce))
    #expect(!proof.isValid(hostProof: right, nonce: [UInt8](repeating: 8, count: 32)))
    let other = Proof(secret: [UInt8](1...32))
    #expect(!proof.isValid(hostProof: other.hostProof(nonce: nonce), nonce: nonce))
    // A worker's proof sent back is no host's proof.
    let echo = proof.workerProof(nonce: nonce, product: "", worker: "", generation: 0)
    #expect(!proof.isValid(hostProof: echo, nonce: nonce))
  }

  @Test(arguments: [0, 1, 31, 33])
  func refusesANonceOfAnotherLength(count: Int) {
    let proof = Proof(secret: secret)
    let nonce = [UInt8](repeating: 7, count: count)
    #expect(!proof.isValid(hostProof: proof.hostProof(nonce: nonce), nonce: nonce))
  }

  @Test func aWorkersProofNamesTheProcess() {
    let proof = Proof(secret: secret)
    func of(_ product: String, _ worker: String, _ generation: UInt64) -> [UInt8] {
      proof.workerProof(nonce: nonce, product: product, worker: worker, generation: generation)
    }
    let one = of("a", "b", 1)
    #expect(one == of("a", "b", 1))
    #expect(one != of("a", "b", 2))
    #expect(one != of("ab", "", 1))
    #expect(one != of("", "ab", 1))
  }

  private func bytes(_ hexadecimal: String) -> [UInt8] {
    stride(from: 0, to: hexadecimal.utf8.count, by: 2).compactMap { offset in
      UInt8(String(hexadecimal.dropFirst(offset).prefix(2)), radix: 16)
    }
  }
}
