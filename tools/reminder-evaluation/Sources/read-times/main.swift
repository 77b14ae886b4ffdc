import Glibc
import KithTime
import RemindersDomain

// Reads phrases, one a line, and prints what each means, as `times.py` compares it. A line has,
// with tabs between: the wall time of who speaks (20130212T043000), seconds east of UTC, the
// region, and the phrase. An answer has the kind and what belongs to it: `once`, shape, start, end
// or nothing, grain, when due, alternatives; or `recurring`, start, rule, EXDATE, policy; or
// `nothing`. With --speed FILE it reads the phrases of a file for some seconds and prints how many
// in a second.

func civil(_ text: some StringProtocol) -> CivilDateTime? {
  let digits = text.filter(\.isNumber).map(String.init)
  func number(_ range: Range<Int>) -> Int { Int(digits[range].joined()) ?? 0 }
  guard digits.count == 14,
    let date = CivilDate(year: number(0..<4), month: number(4..<6), day: number(6..<8)),
    let time = CivilTime(hour: number(8..<10), minute: number(10..<12), second: number(12..<14))
  else { return nil }
  return date.at(time)
}

func text(of meaning: Reading.Meaning) -> [String] {
  switch meaning {
  case .once(let moment):
    return [
      "once", "\(moment.shape)", "\(moment.start)", moment.end?.description ?? "",
      "\(moment.grain)", "\(moment.due)",
    ]
  case .recurring(let schedule):
    let exclusions = schedule.exclusions.map {
      switch $0 {
      case .day(let day): "\(day)"
      case .time(let time): "\(time)"
      }
    }
    return [
      "recurring", "\(schedule.start)", schedule.rule?.text ?? "",
      exclusions.joined(separator: ","), "\(schedule.policy)",
    ]
  }
}

func reader(wall: CivilDateTime, offset: Int, region: Region) -> TimeReader {
  let zone = Zone.fixed(offset: offset, name: "said")
  return TimeReader(
    reference: zone.instant(of: wall), zone: zone, options: .init(region: region))
}

func answer(_ line: String) -> String {
  let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
  guard fields.count == 4, let wall = civil(fields[0]), let offset = Int(fields[1]) else {
    return "error: a line has four fields"
  }
  let region = Region.allCases.first { "\($0)" == fields[2] } ?? .unitedStates
  let reader = reader(wall: wall, offset: offset, region: region)
  guard let reading = reader.read(String(fields[3])) else { return "nothing" }
  let others = reading.alternatives.map { text(of: $0)[2] }.joined(separator: ",")
  return (text(of: reading.meaning) + [others, reading.text]).joined(separator: "\t")
}

func speed() {
  var phrases: [String] = []
  while let line = readLine() { phrases.append(line) }
  guard let wall = civil("20261121T181500"), !phrases.isEmpty else { return }
  let reader = reader(wall: wall, offset: -18_000, region: .unitedStates)
  // Time of the processor, so that what else runs on the machine does not count.
  let ticks = Int(CLOCKS_PER_SEC)
  let start = clock()
  var count = 0
  var found = 0
  while Int(clock() - start) < 3 * ticks {
    for phrase in phrases where reader.read(phrase) != nil { found += 1 }
    count += phrases.count
  }
  let perSecond = count * ticks / Int(clock() - start)
  print(
    "\(perSecond) phrases/s of processor time on one core, \(phrases.count) phrases, "
      + "\(found * 100 / count) % of them times")
}

if CommandLine.arguments.contains("--speed") {
  speed()
} else {
  while let line = readLine() {
    print(answer(line))
    fflush(nil)
  }
}
