import KithWire
import Testing

/// Ten thousand damaged byte strings a message: the decoder never crashes, and says of each what
/// swift-protobuf says.
@Suite struct MutationTests {
  @Test(arguments: Pair.all)
  func damagedBytesAreTakenOrRefusedAlike(_ pair: Pair) throws {
    for seed in UInt64(0)..<100 {
      var source = MessageSource(seed: seed, isLoose: seed.isMultiple(of: 2), maximumDepth: 1)
      let message = source.message(pair.name)
      for round in 0..<100 {
        let bytes = Mutation.of(message, using: &source.random)
        let ours = try? pair.recode(bytes)
        let theirs = try? pair.recodeByOther(bytes)
        if ours == theirs { continue }
        #expect(
          !Difference.all(in: bytes, of: pair.name).isEmpty,
          "\(pair.name), seed \(seed), round \(round), \(bytes): \(ours ?? []) is not \(theirs ?? [])"
        )
      }
    }
  }
}
