import ArgumentParser
import BenchmarkKit
import KithSealing
import KithStore

/// Measures a worker's store beside plain GRDB, on the same disk in the same run.
@main
struct StoreBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store-bench",
    abstract:
      "Durable writes of a worker's store, beside the same writes one by one through GRDB, and events."
  )

  @Option(help: "How long each measurement lasts, in seconds, after its warm-up.")
  var seconds: Double = 3

  @Option(help: "The folder whose disk is measured.")
  var folder: String?

  func run() async throws {
    let path = try folder ?? temporaryFolder()
    defer { if folder == nil { removeFolder(path) } }
    let duration = Duration.microseconds(Int64(seconds * 1_000_000))
    try await Machine.printHead()
    try await OtherWork.reported {
      let disk = try Disk(folder: path)
      print("One write of 4 KiB and its wait for this disk: p50 \(try disk.syncMedian()) us\n")
      try await WriteBenchmark(folder: path, duration: duration).run()
      try await EventBenchmark(folder: path, duration: duration).run()
    }
  }
}
