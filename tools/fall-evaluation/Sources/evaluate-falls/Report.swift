import FallDetectorDomain

/// Prints the measurements as Markdown.
struct Report {
  let evaluation: Evaluation
  /// The weights that are fitted on all subjects.
  let weights: EvidenceWeights
  let seed: UInt64

  private var recordings: [Recording] { evaluation.recordings }

  /// All tables.
  func printAll() {
    let subjects = Set(recordings.map(\.subject)).count
    print(
      """
      \(recordings.count) recordings of \(subjects) subjects, \(recordings.count(where: \.isFall)) of \
      falls; \(evaluation.foldCount)-fold cross-validation by subject, seed \(seed).
      """)
    printRates()
    printBaselines()
    printDisturbances()
    printPosture()
    printDailyLife()
    printSynthetic()
    printWeights()
    printSpeed()
  }

  // MARK: Recordings

  private func printRates() {
    print("\n## By sampling rate\n\n\(Evaluation.head)")
    let rates: [(String, (Trace) -> Trace)] = [
      ("200 Hz, interpolated from 50 Hz", { $0.resampled(to: 200) }),
      ("100 Hz, interpolated from 50 Hz", { $0.resampled(to: 100) }),
      ("50 Hz, as recorded", { $0 }),
      ("25 Hz, means of two", { $0.averaged(by: 2) }),
      ("25 Hz, every second sample", { $0.picked(every: 2) }),
    ]
    let native = evaluation.detections()
    for (name, change) in rates {
      let detections = evaluation.detections { change($0).samples }
      print(evaluation.row(name, detections))
      let changed = zip(native, detections).count { $0 != $1 }
      if changed > 0 { print("| (verdicts that differ from those at 50 Hz: \(changed)) | | | | |") }
    }
  }

  private func printBaselines() {
    print("\n## Beside other detectors\n\n\(Evaluation.head)")
    let original = recordings.map { $0.originalPeak > 2.5 }
    print(evaluation.row("peak above 2.5 g, 200 Hz original", original))
    let bourke = recordings.map { $0.originalPeak > 3.52 }
    print(evaluation.row("Bourke 2007, upper threshold 3.52 g, 200 Hz original", bourke))
    let rates: [(String, (Trace) -> Trace)] = [
      ("200 Hz interpolated", { $0.resampled(to: 200) }),
      ("100 Hz interpolated", { $0.resampled(to: 100) }), ("50 Hz", { $0 }),
      ("25 Hz", { $0.averaged(by: 2) }),
    ]
    for baseline in Baseline.all {
      for (name, change) in rates {
        print(
          evaluation.row("\(baseline.name), \(name)", evaluation.detections(of: baseline, change)))
      }
    }
  }

  private func printDisturbances() {
    print("\n## Disturbed recordings (weights fitted on undisturbed ones)\n\n\(Evaluation.head)")
    var random = Random(seed: seed)
    func row(
      _ name: String, rangeG: Double? = nil, _ change: (Trace) -> [AccelerationSample]
    ) {
      print(evaluation.row(name, evaluation.detections(rangeG: rangeG, change)))
    }
    row("turned at random") { trace in
      let rotation = random.rotation()
      return trace.changed { rotation($0) }.samples
    }
    row("20 Hz") { $0.resampled(to: 20).samples }
    row("31.25 Hz") { $0.resampled(to: 31.25).samples }
    row("87 Hz") { $0.resampled(to: 87).samples }
    row("clipped at 4 g", rangeG: 4) { $0.clipped(to: 4).samples }
    row("clipped at 2 g", rangeG: 2) { $0.clipped(to: 2).samples }
    for noise in [0.02, 0.05] {
      row("noise of \(noise) g an axis") { trace in
        trace.changed {
          $0 + SIMD3(random.normal(), random.normal(), random.normal()) * noise
        }.samples
      }
    }
    row("scaled by 0.9") { $0.changed { $0 * 0.9 }.samples }
    row("scaled by 1.1") { $0.changed { $0 * 1.1 }.samples }
    row("an offset of 0.05 g on each axis") { $0.changed { $0 + 0.05 }.samples }
    row("15 % of the samples missing, times off by up to 15 %") { trace in
      trace.samples.compactMap { sample in
        guard random.between(0, 1) > 0.15 else { return nil }
        var sample = sample
        sample.nanoseconds += Int64(random.between(-0.15, 0.15) * 1e9 / trace.rate)
        return sample
      }
    }
    for seconds in [5.0, 3, 2] {
      row("only \(Int(seconds)) s before and after the peak") {
        $0.cropped(around: seconds).samples
      }
    }
  }

  /// How much hangs on the change of posture.
  private func printPosture() {
    print("\n## If no change of posture were larger\n\n\(Evaluation.head)")
    for degrees in [90.0, 45, 30, 15, 0] {
      print(
        evaluation.row("\(Int(degrees)) degrees", evaluation.detections(postureUpTo: degrees)))
    }
  }

  private func printDailyLife() {
    let detections = evaluation.detections()
    print("\n## Errors by activity, 50 Hz\n\n| activity | recordings | wrong |\n|---|---|---|")
    for activity in Set(recordings.map(\.activity)).sorted() {
      let of = zip(recordings, detections).filter { $0.0.activity == activity }
      let wrong = of.count { $0.0.isFall != $0.1 }
      guard wrong > 0 else { continue }
      print("| \(activity) \(of[0].0.description) | \(of.count) | \(wrong) |")
    }
    let daily = zip(recordings, detections).filter { !$0.0.isFall }
    let hours = daily.reduce(0) { $0 + Double($1.0.trace.vectors.count) / $1.0.trace.rate } / 3600
    let wrong = daily.count { $0.1 }
    print("\n## False candidates\n")
    print(
      "\(wrong) in \(decimals(hours, 2)) h of recorded activities, one after the other: "
        + "\(decimals(Double(wrong) / hours, 2)) an hour.")
    print(
      "\(replayedCandidates()) when each subject's activities are replayed as one trace without pause, "
        + "with jumps of posture between the recordings.")
    let drops = zip(recordings, evaluation.folds).count { recording, fold in
      Evaluation.verdicts(recording.trace.samples, weights: evaluation.weights[fold])
        .contains(.deviceDrop)
    }
    print("\(drops) recordings are taken for a dropped device.")
    let list = Day.counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    print(
      "An older person by these counts a day (assumed): \(list.joined(separator: ", ")); not cancelled within"
    )
    print("60 s (assumed): half of those of D12 to D14 (in bed), one in twenty of the others:")
    let older = zip(recordings, detections).filter { $0.0.isOlder && !$0.0.isFall }.map(\.1)
    let cautious = (Double(older.count { $0 }) + 0.5) / Double(older.count + 1)
    for (name, share) in [
      ("with the measured share of each activity", nil),
      ("with half a false one more in the \(older.count) of older subjects", cautious),
    ] {
      let day = Day.alerts(recordings, detections, share: share)
      print(
        "- \(name): \(decimals(day.candidates * 30.4, 2)) candidates a month, "
          + "\(decimals(day.unanswered * 30.4, 2)) of them not cancelled.")
    }
  }

  /// The candidates in each subject's activities, one after the other as one trace.
  private func replayedCandidates() -> Int {
    let groups = Dictionary(grouping: zip(recordings, evaluation.folds).filter { !$0.0.isFall }) {
      $0.0.subject
    }
    return groups.values.reduce(0) { sum, activities in
      let trace = Trace(rate: 50, vectors: activities.flatMap(\.0.trace.vectors))
      let verdicts = Evaluation.verdicts(
        trace.samples, weights: evaluation.weights[activities[0].1])
      return sum + verdicts.count { $0 == .candidate }
    }
  }

  // MARK: Synthetic traces

  private func printSynthetic() {
    let count = 200
    print(
      "\n## Synthetic traces, \(count) each: share of candidates (weights of all subjects)\n\n"
        + "| movement | right | 200 Hz | 100 Hz | 50 Hz | 25 Hz | device drop (50 Hz) | verdict kept at all rates |\n"
        + "|---|---|---|---|---|---|---|---|")
    var (rightFalls, rightOthers) = (
      [[Bool]](repeating: [], count: 4), [[Bool]](repeating: [], count: 4)
    )
    for (number, scenario) in Scenario.all.enumerated() {
      var candidates = [[Bool]](repeating: [], count: 4)
      var drops: [Bool] = []
      for index in 0..<count {
        let trace = scenario.make(seed &* 1_000_003 &+ UInt64(number * count + index))
        for (place, factor) in [1, 2, 4, 8].enumerated() {
          let verdicts = Evaluation.verdicts(
            trace.averaged(by: factor).samples, weights: weights, rangeG: 16)
          candidates[place].append(verdicts.contains(.candidate))
          if factor == 4 { drops.append(verdicts.contains(.deviceDrop)) }
        }
      }
      let shares = candidates.map { decimals(Share($0).value, 3) }
      let kept = (0..<count).map { index in Set(candidates.map { $0[index] }).count == 1 }
      let right = scenario.isFall.map { $0 ? "candidate" : "none" } ?? "-"
      print(
        "| \(scenario.name) | \(right) | \(shares.joined(separator: " | ")) | "
          + "\(decimals(Share(drops).value, 3)) | \(decimals(Share(kept).value, 3)) |")
      for place in 0..<4 {
        switch scenario.isFall {
        case true?: rightFalls[place] += candidates[place]
        case false?: rightOthers[place] += candidates[place].map { !$0 }
        case nil: break
        }
      }
    }
    print("\n| | 200 Hz | 100 Hz | 50 Hz | 25 Hz |\n|---|---|---|---|---|")
    print("| sensitivity | " + rightFalls.map { "\(Share($0))" }.joined(separator: " | ") + " |")
    print("| specificity | " + rightOthers.map { "\(Share($0))" }.joined(separator: " | ") + " |")
  }

  // MARK: Weights and speed

  private func printWeights() {
    print(
      "\n## Weights: of all subjects, and their range over the folds\n\n"
        + "| measurement | weight | neutral |\n|---|---|---|")
    for feature in ImpactEvidence.Feature.allCases {
      let terms = evaluation.weights.map { $0[feature] }
      func range(_ values: [Double]) -> String {
        "\(decimals(values.min() ?? 0, 2)) to \(decimals(values.max() ?? 0, 2))"
      }
      let all = weights[feature]
      print(
        "| \(feature) | \(decimals(all.weight, 2)) (\(range(terms.map(\.weight)))) | "
          + "\(decimals(all.neutral, 2)) (\(range(terms.map(\.neutral)))) |")
    }
  }

  private func printSpeed() {
    print("\n## Speed\n")
    print(
      "State of a wearer: \(FallDetection(profile: SensorProfile(placement: .waist)).byteCount) bytes."
    )
    for (name, change) in [
      ("50 Hz", { $0 }), ("200 Hz", { $0.resampled(to: 200) }),
    ] as [(String, (Trace) -> Trace)] {
      let samples = recordings.prefix(600).map { change($0.trace).samples }
      let clock = ContinuousClock()
      var findings = 0
      let time = clock.measure {
        for samples in samples {
          var detection = FallDetection(profile: SensorProfile(placement: .waist))
          for sample in samples where detection.add(sample) != nil { findings += 1 }
        }
      }
      let seconds = Double(time.components.attoseconds) / 1e18 + Double(time.components.seconds)
      let count = samples.reduce(0) { $0 + $1.count }
      print(
        "\(name): \(decimals(Double(count) / seconds / 1e6, 2)) million samples a second on one core "
          + "(\(findings) findings).")
    }
  }
}
