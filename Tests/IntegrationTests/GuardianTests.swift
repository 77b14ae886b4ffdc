import Glibc
import Testing

@testable import KithTesting

@Suite struct GuardianTests {
  @Test func nothingIsLeftOfAProductWhoseTestProcessEnds() async throws {
    let guardian = try Guardian()
    let setup = ProductSetup(
      product: "boomer-buddy", environment: [Guardian.variable: "\(guardian.pid)"])
    let product = try await RunningProduct.start(setup)
    try await product.settle()
    guardian.watch(product.folder.path)
    #expect(!product.processes().isEmpty)
    // As the kernel does when the process ends.
    guardian.close()
    #expect(await product.program.exitCode() == 128 + SIGKILL)
    try await waitUntil("its workers and its folder are gone") {
      product.processes().isEmpty && access(product.folder.path, F_OK) != 0
    }
    product.abandon()
  }
}
