import KithWire
import Testing
import WorkerContract

@testable import KithWorker

@Suite struct LaunchTests {
  private let record = LaunchRecord(
    product: "milo", worker: "risk-engine", generation: 3,
    secret: [UInt8](repeating: 1, count: 32), address: "ipc:///tmp/x.sock")

  @Test func decodesARecord() throws {
    #expect(try Launch.decode(record.encoded()) == record)
  }

  @Test func refusesARecordThatNothingWorksWith() throws {
    func reason(_ change: (inout LaunchRecord) -> Void) throws -> String? {
      var changed = record
      change(&changed)
      let bytes = try changed.encoded()
      return #expect(throws: LaunchError.self) { try Launch.decode(bytes) }?.description
    }
    #expect(try reason { $0.secret = [1] }?.contains("1 bytes, expected 32") == true)
    #expect(try reason { $0.product = "" }?.contains("product") == true)
    #expect(try reason { $0.worker = "" }?.contains("worker") == true)
    #expect(try reason { $0.address = "" }?.contains("address") == true)
    #expect(try reason { $0.generation = 0 }?.contains("generation") == true)
    #expect(throws: LaunchError.self) { try Launch.decode([0xff]) }
    #expect(throws: LaunchError.self) { try Launch.decode([]) }
  }

  @Test func knowsItsOwnProcess() {
    let identity = ProcessIdentity.current()
    #expect(identity.pid > 0)
    #expect(identity.startTimeTicks > 0)
    #expect(identity.bootId.utf8.count == 36)
    #expect(identity == .current())
  }

  @Test(arguments: [
    ("1 (a) S" + String(repeating: " 0", count: 18) + " 77 5", UInt64(77)),
    ("1 (a b) c) S" + String(repeating: " 0", count: 18) + " 78", 78),
    ("1 (a) S 0", nil), ("", nil), (")", nil),
  ])
  func readsTheStartTimeWhateverTheProgramsName(stat: String, ticks: UInt64?) {
    #expect(ProcessIdentity.startTime(inStat: stat) == ticks)
  }
}
