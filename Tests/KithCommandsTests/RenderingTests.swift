import Glibc
import HostContract
import KithReflection
import KithRPC
import KithWire
import RiskContract
import Testing
import TestingContract

@testable import KithCommands
@testable import KithTerminal
@testable import KithVerbs

@Suite struct RenderingTests {
  static let text = "IRS: pay $900 in gift cards today"

  static let answer = AnalyzeResponse(
    score: 0.973_412_3, score100: 97, level: .high, label: .likelyScam,
    category: .governmentImpersonation, confidence: 0.9,
    reasons: [
      Reason(
        signal: "gift_card_payment",
        sentence: "It asks to be paid in gift cards, which no agency or company ever does.",
        share: 0.5, span: Span(start: 17, end: 27)),
      Reason(signal: "model", sentence: "It reads like known scams.", share: 0.125),
    ],
    recommendedActions: [
      Action(
        title: "Hang up or delete it.",
        steps: [
          "Do not call the number it gives.", "Call the number on the web page of the office.",
        ]
      )
    ],
    federalContacts: [
      Contact(name: "Federal Trade Commission", purpose: "Report fraud", phone: "+18773824357")
    ],
    legalNote: "This is advice, not a legal ruling.", engineVersion: "rules 1.0.0, model 1.0.0")

  @Test func anAnswerReadsWell() throws {
    let contracts = try ContractSet(encodedDescriptorSet: RiskDescriptorSet.bytes)
    let request = try contracts.decode(
      try AnalyzeRequest(text: Self.text).encoded(), as: AnalyzeRequest.fullName)
    let message = try contracts.decode(try Self.answer.encoded(), as: AnalyzeResponse.fullName)
    let renderer = MessageRenderer(contracts, terminal: Terminal(), answering: request)
    #expect(renderer.lines(message).joined(separator: "\n") == Snapshots.answer)
  }

  @Test func everyKindOfFieldIsShown() throws {
    let contracts = try ContractSet(encodedDescriptorSet: TestingDescriptorSet.bytes)
    let value = Tree(
      name: "a\u{1b}[31m\tb", left: Tree(name: "left"), children: [Tree(), Tree(name: "second")],
      named: ["oak": Tree(name: "oak")], side: .number(0))
    let message = try contracts.decode(try value.encoded(), as: Tree.fullName)
    #expect(
      MessageRenderer(contracts, terminal: Terminal()).lines(message).joined(separator: "\n")
        == Snapshots.tree)
  }

  @Test func anEmptyAnswerSaysSo() throws {
    let contracts = try ContractSet(encodedDescriptorSet: TestingDescriptorSet.bytes)
    let message = try contracts.decode([], as: Nothing.fullName)
    #expect(MessageRenderer(contracts, terminal: Terminal()).lines(message) == ["done"])
  }

  // MARK: Status

  @Test func theStatusIsATable() {
    let now: Int64 = 1_800_000_000_000
    let status = GetStatusResponse(
      product: "boomer-buddy", title: "Boomer Buddy", hostVersion: "0.1.0", hostPid: 4242,
      hostStartedAtMs: now - 185_000, root: "/r",
      workers: [
        WorkerStatus(
          name: "risk-engine", plugin: "risk-engine", pluginVersion: "2.2.0", state: .ready,
          wanted: true, generation: 2, pid: 4250, sinceMs: now - 65_000, restarts: 1,
          residentBytes: 38 << 20, manifestVersion: "2.1.0"),
        WorkerStatus(
          name: "reminders", pluginVersion: "1.0.0", state: .backingOff, wanted: true,
          generation: 3, sinceMs: now - 800,
          restarts: 3,
          lastExit: WorkerExit(
            generation: 3, description: "exit code 3",
            lastLines: ["error cannot open the database \u{1b}[2J"]),
          nextStartAtMs: now + 2_500, reason: "died three times in a row"),
        WorkerStatus(
          name: "fall-watch", pluginVersion: "1.0.0", state: .stopped, manifestVersion: "1.0.0"),
      ])
    let report = StatusReport(status: status, terminal: Terminal(), now: now)
    #expect(report.lines.joined(separator: "\n") == Snapshots.status)
    #expect(report.lines.allSatisfy { TextWidth.columns($0) <= 80 })
    let coloured = StatusReport(status: status, terminal: Terminal(hasColour: true), now: now)
    #expect(coloured.lines.joined().contains("\u{1b}[32mready\u{1b}[0m"))
  }

  @Test(arguments: [("60", 60), ("200", 200), ("7", 40), ("wide", 80), (nil, 80)])
  func theWidthIsAsCOLUMNSSays(_ columns: String?, _ expected: Int) {
    // The tests' own standard output may be a terminal; its width counts only where COLUMNS is no
    // number.
    let environment = columns.map { ["COLUMNS": $0] } ?? [:]
    let width = Terminal.standardOutput(environment: environment).width
    #expect(width == expected || (Int(columns ?? "") == nil && isatty(STDOUT_FILENO) == 1))
  }

  @Test func linesOfALogAreSafe() {
    let writer = LogWriter(terminal: Terminal(), isJSON: false, showsNames: true)
    let line = LogLine(
      atMs: 0, stream: .stderr, text: "a\u{1b}[31mb\u{202e}c", name: "risk-engine", level: .info)
    #expect(writer.text(of: line).hasSuffix(" risk-engine  a\u{fffd}[31mb\u{fffd}c"))
    let json = LogWriter(terminal: Terminal(), isJSON: true, showsNames: true)
    #expect(
      json.text(
        of: LogLine(
          atMs: 5, generation: 2, stream: .host, text: "t", name: "x", level: .notice, call: "7",
          fields: ["b": "2", "a": "1"]))
        == #"{"name":"x","atMs":"5","generation":"2","stream":"HOST","level":"LOG_LEVEL_NOTICE","#
        + #""call":"7","text":"t","fields":{"a":"1","b":"2"}}"#)
  }

  @Test(
    arguments: [
      (LogStream.stderr, LogLevel.info, "ready a=1 b=\"two words\" call=17"),
      (.stderr, .error, "error ready a=1 b=\"two words\" call=17"),
      (.stdout, .info, "ready a=1 b=\"two words\" call=17"),
      (.host, .notice, "-- ready a=1 b=\"two words\" call=17"),
    ])
  func aLineOfALogSaysItsLevelUnlessItIsInfo(stream: LogStream, level: LogLevel, text: String) {
    let writer = LogWriter(terminal: Terminal(), isJSON: false, showsNames: false)
    let line = LogLine(
      stream: stream, text: "ready", level: level, call: "17",
      fields: ["b": "two words", "a": "1"])
    #expect(writer.text(of: line).hasSuffix("  \(text)"))
  }

  // MARK: Quantities and text

  @Test(
    arguments: [
      (0.0, "0"), (0.973_412_3, "0.9734"), (0.5, "0.5"), (1, "1"), (-1.25, "-1.25"),
      (12.3456, "12.35"),
      (1234.56, "1235"), (0.000_123_456, "0.0001235"), (0.99999, "1"), (1e20, "1e+20"),
      (.nan, "not a number"), (-.infinity, "minus infinity"),
    ] as [(Double, String)])
  func numbersHaveAsManyDigitsAsAreOfUse(_ value: Double, _ expected: String) {
    #expect(Quantities.real(value) == expected)
  }

  @Test(
    arguments: [
      (0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (1536, "1.5 KiB"), (38 << 20, "38 MiB"),
    ] as [(UInt64, String)])
  func bytesHaveAUnit(_ count: UInt64, _ expected: String) {
    #expect(Quantities.bytes(count) == expected)
  }

  @Test(
    arguments: [
      (-5, "0 s"), (450, "450 ms"), (12_900, "12 s"), (185_000, "3 min 5 s"), (3_600_000, "1 h"),
      (7_500_000, "2 h 5 min"), (97_200_000, "1 d 3 h"),
    ] as [(Int64, String)])
  func timesHaveTwoUnitsAtMost(_ milliseconds: Int64, _ expected: String) {
    #expect(Quantities.elapsed(milliseconds: milliseconds) == expected)
  }

  @Test func wideCharactersTakeTwoColumns() {
    #expect(TextWidth.columns("a\u{4e2d}\u{1f600}") == 5)
    #expect(TextWidth.padded("\u{4e2d}", to: 4) == "\u{4e2d}  ")
    #expect(TextWidth.wrapped("one two three", width: 7) == ["one two", "three"])
    #expect(TextWidth.wrapped("", width: 7) == [""])
  }

  // MARK: Exit codes

  @Test(
    arguments: [
      (StatusCode.ok, 0), (.cancelled, 1), (.unknown, 1), (.invalidArgument, 65),
      (.deadlineExceeded, 124), (.notFound, 1), (.alreadyExists, 1), (.permissionDenied, 77),
      (.resourceExhausted, 75), (.failedPrecondition, 1), (.aborted, 75), (.outOfRange, 65),
      (.unimplemented, 64), (.internal, 70), (.unavailable, 69), (.dataLoss, 70),
      (.unauthenticated, 77), (StatusCode(rawValue: 99), 1),
    ] as [(StatusCode, Int32)])
  func everyStatusHasAnExitCode(_ code: StatusCode, _ number: Int32) {
    #expect(ExitStatus(code).number == number)
    #expect(ExitStatus.all.contains(ExitStatus(code)))
  }

  @Test func theTableOfExitCodesFitsATerminal() {
    #expect(ExitCodesCommand.table.allSatisfy { $0.count < 80 })
    #expect(ExitCodesCommand.table.contains("      status: UNAVAILABLE"))
  }
}
