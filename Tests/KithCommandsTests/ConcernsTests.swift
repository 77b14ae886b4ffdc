import HostContract
import Testing

@testable import KithCommands
@testable import KithTerminal

/// What `kith status` and `kith top` say of logs that are not complete.
@Suite struct ConcernsTests {
  private func lines(_ trouble: LogTrouble) -> [String] {
    Concerns(alerts: [], logTroubles: [trouble]).lines(Terminal(width: 200))
  }

  @Test func aLogSaysWhatItHasLostAndWhatWasDropped() {
    #expect(
      lines(LogTrouble(name: "odd", linesDropped: 3, bytesDropped: 90)) == [
        "",
        "log of odd: 3 lines (90 bytes) dropped, written faster than a log is kept since the host started",
      ])
    #expect(
      lines(LogTrouble(name: "odd", linesLost: 2)) == [
        "", "log of odd: 2 lines lost since the host started",
      ])
    #expect(
      lines(LogTrouble(name: "odd", linesLost: 2, linesDropped: 3, bytesDropped: 90)) == [
        "",
        "log of odd: 2 lines lost, 3 lines (90 bytes) dropped, written faster than a log is kept since the host started",
      ])
  }

  @Test func aLogThatCannotBeWrittenSaysWhyAndWhatWaits() {
    #expect(
      lines(LogTrouble(name: "odd", reason: "the disk is full", linesWaiting: 4)) == [
        "", "log of odd: the disk is full; 4 lines wait, 0 lines lost since the host started",
      ])
  }
}
