import BenchmarkKit

/// What is asked of Kith's calls, as ratios to the peers that were measured beside it, and what was
/// seen.
struct CallFloors {
  var results: CallResults

  private static let callsPerSecond: [(peer: String, inFlight: Int, floor: Floor)] = [
    (CallStackTitle.grpcSwift, 64, .atLeast(16)),
    (CallStackTitle.grpcSwift, 256, .atLeast(30)),
    (CallStackTitle.grpcCpp, 1, .above(1)),
    (CallStackTitle.grpcCpp, 8, .above(1)),
    (CallStackTitle.grpcCpp, 64, .above(1)),
    (CallStackTitle.grpcCpp, 256, .above(1)),
  ]

  private static let p50: [(peer: String, floor: Floor)] = [
    (CallStackTitle.nngEcho, .atMost(1.25)),
    (CallStackTitle.cookedNng, .below(1)),
    (CallStackTitle.socketpair, .atMost(3)),
  ]

  /// Both ways of calling: from any task, and from a task on the executor that is for those who
  /// wait for microseconds.
  var table: Table {
    var table = Table("floors", "asked", "kith", "", "on CallExecutor", "")
    for (peer, inFlight, floor) in Self.callsPerSecond {
      add("calls/s at \(inFlight), times \(peer)", floor, peer, inFlight, \.callsPerSecond, &table)
    }
    for (peer, floor) in Self.p50 {
      add("p50 at 1, times \(peer)", floor, peer, 1, \.p50, &table)
    }
    return table
  }

  private func add(
    _ text: String, _ floor: Floor, _ peer: String, _ inFlight: Int,
    _ figure: KeyPath<LoadGenerator.Sample, Double>, _ table: inout Table
  ) {
    // A peer that is not on this machine has no line.
    guard let theirs = results.median(of: peer, inFlight: inFlight)?[keyPath: figure] else {
      return
    }
    var cells = [text, floor.text]
    for title in [CallStackTitle.kith, CallStackTitle.kithOnExecutor] {
      let ours = results.median(of: title, inFlight: inFlight)?[keyPath: figure] ?? .nan
      cells += floor.cells(for: ours / theirs)
    }
    table.add(cells)
  }
}
