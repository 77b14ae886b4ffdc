import BenchmarkKit

/// What the stacks gave, round by round.
struct CallResults {
  private struct Key: Hashable {
    var title: String
    var inFlight: Int
  }

  private var samples: [Key: [LoadGenerator.Sample]] = [:]

  mutating func add(_ sample: LoadGenerator.Sample, of title: String, inFlight: Int) {
    samples[Key(title: title, inFlight: inFlight), default: []].append(sample)
  }

  /// The middle of each figure over the rounds; nil for a stack that was not measured.
  func median(of title: String, inFlight: Int) -> LoadGenerator.Sample? {
    samples[Key(title: title, inFlight: inFlight)]?.median
  }

  /// One line a stack, and how Kith compares: above 1 its calls are more, below 1 its latency is
  /// less.
  func table(inFlight: Int, titles: [String]) -> Table {
    var table = Table(
      "\(inFlight) in flight", "calls/s", "p50 us", "p99 us", "kith's calls/s", "kith's p50")
    let kith = median(of: CallStackTitle.kith, inFlight: inFlight)
    for title in titles {
      guard let sample = median(of: title, inFlight: inFlight) else { continue }
      var cells = [
        title, sample.callsPerSecond.formatted(), sample.p50.formatted(decimals: 1),
        sample.p99.formatted(decimals: 1),
      ]
      if let kith, title != CallStackTitle.kith {
        cells += [kith.callsPerSecond / sample.callsPerSecond, kith.p50 / sample.p50].map {
          $0.formatted(decimals: 2) + "x"
        }
      } else {
        cells += ["", ""]
      }
      table.add(cells)
    }
    return table
  }
}

extension [LoadGenerator.Sample] {
  /// The middle of each figure.
  var median: LoadGenerator.Sample {
    .init(
      callsPerSecond: map(\.callsPerSecond).median, p50: map(\.p50).median, p99: map(\.p99).median)
  }
}
