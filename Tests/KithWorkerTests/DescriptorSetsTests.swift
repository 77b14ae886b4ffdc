import HealthContract
import KithRPC
import KithWire
import ReflectionContract
import Testing
import WorkerContract

@testable import KithWorker

@Suite struct DescriptorSetsTests {
  @Test func joinsFilesOnceAndInOrder() throws {
    let joined = try DescriptorSets.joined([
      set("a", "b"), set("b", "c"), [], set("a", "d"), set("c"),
    ])
    #expect(joined == set("a", "b", "c", "d"))
  }

  @Test func refusesWhatIsNoSet() {
    #expect(throws: WireError.self) { try DescriptorSets.joined([[0x0a, 0x05, 0x0a]]) }
    #expect(throws: WireError.self) { try DescriptorSets.joined([[0x0a, 0x01, 0xff]]) }
  }

  @Test func keepsTheFilesOfTheContracts() throws {
    let sets = [
      WorkerDescriptorSet.bytes, HealthDescriptorSet.bytes, ReflectionDescriptorSet.bytes,
    ]
    let joined = try DescriptorSets.joined(sets)
    #expect(!joined.isEmpty)
    #expect(try DescriptorSets.joined([joined]) == joined)
    #expect(try DescriptorSets.joined([joined] + sets) == joined)
  }

  /// An encoded set of empty files of these names.
  private func set(_ names: String...) -> [UInt8] {
    names.flatMap { name -> [UInt8] in
      let file = [0x0a, UInt8(name.utf8.count)] + Array(name.utf8)
      return [0x0a, UInt8(file.count)] + file
    }
  }
}
