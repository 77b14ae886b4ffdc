import Testing

@testable import KithHost

@Suite struct LogRecordTests {
  private func record(_ line: String, on stream: LogRecord.Stream = .stderr) -> LogRecord {
    LogRecord(written: line, at: 100, by: "odd", generation: 3, on: stream)
  }

  @Test func whatTheSDKWroteIsTakenApart() {
    let line = #"{"at_ms":90,"level":"warning","call":"17","text":"slow","fields":{"took":"3 ms"}}"#
    let record = record(line)
    #expect(
      record
        == LogRecord(
          atMilliseconds: 90, worker: "odd", generation: 3, stream: .stderr, level: .warning,
          call: "17", text: "slow", fields: ["took": "3 ms"]))
    #expect(record.line == "slow took=\"3 ms\"")
    // Only there does the SDK write.
    #expect(self.record(line, on: .stdout).text == line)
  }

  @Test func whoWroteALineIsNotTakenFromIt() {
    let record = record(
      #"{"at_ms":5000,"level":"info","text":"x","worker":"other","generation":9,"stream":"host"}"#)
    #expect(record.worker == "odd" && record.generation == 3 && record.stream == .stderr)
    // Nor is it written later than it is read.
    #expect(record.atMilliseconds == 100)
  }

  @Test(
    arguments: [
      "Fatal error: index out of range", "", "{\"at_ms\":", #"{"at_ms":1}"#,
      #"{"at_ms":"1","level":"info","text":"x"}"#, #"{"at_ms":1,"level":"loud","text":"x"}"#,
      #"{"at_ms":1,"level":"info","text":7}"#, #"{"at_ms":1,"level":"info","text":"x"} more"#,
    ])
  func anyOtherLineIsWrappedAsItIs(_ line: String) {
    for (stream, level) in [(LogRecord.Stream.stderr, LogRecord.Level.error), (.stdout, .info)] {
      #expect(
        record(line, on: stream)
          == LogRecord(
            atMilliseconds: 100, worker: "odd", generation: 3, stream: stream, level: level,
            text: line))
    }
  }

  @Test func levelsAreInOrder() {
    #expect(LogRecord.Level.allCases == LogRecord.Level.allCases.sorted())
    #expect(LogRecord.Level.debug < .info && LogRecord.Level.critical > .error)
  }
}
