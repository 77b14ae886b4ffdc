import ArgumentParser
import Glibc
import KithManifest
import KithTesting

/// `tools/soak calls`.
struct CallsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calls", abstract: "Calls of every shape, with worker and clients killed.")

  @Option(help: "For how long.") var minutes = 1.0
  @Option(help: "What all is drawn from; a random one unless given.") var seed: UInt64?

  func validate() throws {
    guard minutes > 0, minutes <= 10_000 else {
      throw ValidationError("--minutes is above 0 and at most 10000")
    }
  }

  func run() async throws {
    let seed = seed ?? UInt64.random(in: 0...UInt64.max)
    print("seed \(seed), \(minutes) min")
    let product = try await RunningProduct.start(Self.setup)
    let soak = Soak(product: product, seed: seed, time: .seconds(minutes * 60))
    let report: Report
    do {
      report = try await soak.run()
      // Also proves that no process of the product is left.
      try await product.stop()
    } catch {
      product.abandon()
      throw error
    }
    let isGood = report.print(
      entries: TemporaryFolder.text(
        of: "\(product.places.stateDirectory(worker: "odd"))/entries") ?? "")
    // At once: a call that hangs must not hold the process.
    fflush(nil)
    if !isGood { _exit(1) }
  }

  /// A product of one worker, which keeps something and is restarted however often it is killed.
  private static let setup = ProductSetup.soak(
    .soak("odd", "restart: { intensity: 1000, period: 30s }"))
}
