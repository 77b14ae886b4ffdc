import HostContract
import KithTesting
import XCTest

/// The kit serves XCTest as it serves Swift Testing.
final class TestKitXCTests: XCTestCase {
  func testAKilledWorkerComesBack() async throws {
    try await RunningProduct.run(Setups.odd()) { product in
      try await product.settle()
      try await product.suffer(.kill("odd"))
      let worker = try await product.waitUntil("odd") { $0.state == .ready && $0.generation == 2 }
      XCTAssertEqual(worker.restarts, 1)
    }
  }
}
