import ArgumentParser
import BenchmarkKit

/// What all measurements share.
struct Options: ParsableArguments {
  @Option(help: "The folder with the release programs: kith, kithd and the workers.")
  var programs: String = ".build/release"

  @Option(help: "How long one run of one stack lasts, in seconds, after its warm-up.")
  var seconds: Double = 2

  @Option(help: "How many rounds; each stack runs once a round, and the median round is shown.")
  var rounds: Int = 3

  @Option(
    name: .customLong("grpc-cpp"),
    help: "The gRPC C++ peer's program; without it that peer is left out.")
  var grpcCpp: String?

  var duration: Duration { .microseconds(Int64(seconds * 1_000_000)) }
}
