import KithMetrics
import Testing

@Suite struct LatencyScaleTests {
  @Test func eachTimeIsInTheBucketThatEndsFirstAtOrAboveIt() {
    var previous: UInt64?
    for index in 0..<LatencyScale.count {
      let upper = LatencyScale.upperMicroseconds(of: index)
      #expect(LatencyScale.index(ofMicroseconds: upper) == index)
      if let previous {
        #expect(upper > previous)
        #expect(LatencyScale.index(ofMicroseconds: previous + 1) == index)
        #expect(Double(upper) <= Double(previous + 1) * 1.125)
      }
      previous = upper
    }
  }

  @Test func theLongestTimesAreInTheLastBucket() {
    #expect(LatencyScale.index(ofMicroseconds: .max) == LatencyScale.count - 1)
    #expect(LatencyScale.count == 273)
  }
}

@Suite struct LatenciesTests {
  private func latencies(_ times: some Sequence<UInt64>) -> Latencies {
    var latencies = Latencies()
    for time in times { latencies.add(microseconds: time) }
    return latencies
  }

  @Test func quantilesAreAtMostAnEighthAboveTheTruth() throws {
    let latencies = latencies(1...10_000)
    #expect(latencies.count == 10_000)
    #expect(latencies.sumMicroseconds == 50_005_000)
    for (share, truth) in [(0.5, 5_000.0), (0.95, 9_500), (0.99, 9_900), (1, 10_000)] {
      let found = Double(try #require(latencies.quantile(share)))
      #expect(found >= truth && found <= truth * 1.125)
    }
  }

  @Test func ofFewCallsTheSlowestIsTheP99() {
    #expect(latencies([3]).quantile(0.5) == 3)
    #expect(latencies([1, 2, 3, 15]).quantile(0.99) == 15)
    #expect(latencies([1, 2, 3, 15]).quantile(0.5) == 2)
    #expect(Latencies().quantile(0.5) == nil)
  }

  @Test func whatWasAddedSinceIsTheDifference() {
    let before = latencies([1, 5, 900])
    let more = latencies([5, 70_000])
    #expect((before + more).since(before) == more)
    // Counts of another process, which began anew, are never taken for fewer than none.
    #expect(
      latencies([7]).since(before)
        == latencies([7]).since(Latencies(counts: [:], sumMicroseconds: 906)))
  }

  @Test func countsAddUp() {
    let first = CallCounts(calls: 8, errors: 1, inFlight: 2, latencies: latencies([1]))
    let second = CallCounts(calls: 12, errors: 3, inFlight: 1, latencies: latencies([2]))
    let both = first + second
    #expect(both.errorRate == 0.2)
    #expect(both.inFlight == 3)
    #expect(both.since(first).calls == 12)
    #expect(CallCounts().errorRate == nil)
  }
}
