import HealthContract
import Testing

@testable import KithHost

@Suite struct HealthWatchTests {
  @Test func whatTheEndOfTheReportsMeansDependsOnTheProcess() {
    let silent = HealthWatch()
    #expect(silent.conclusion(.unsupported, isRunning: true) == .unwatchable)
    #expect(silent.conclusion(.ended, isRunning: true) == .neverReported)
    #expect(silent.conclusion(.broken, isRunning: true) == .neverReported)
    var heard = HealthWatch()
    let areFirst = (0..<2).map { _ in heard.heard(HealthReportMessage(CheckResponse())) }
    #expect(areFirst == [true, false])
    #expect(heard.conclusion(.broken, isRunning: true) == .listenAgain)
    #expect(heard.conclusion(.ended, isRunning: true) == .over)
    for watch in [silent, heard] {
      for end in [WatchEnd.ended, .broken, .unsupported] {
        #expect(watch.conclusion(end, isRunning: false) == .over)
      }
    }
  }
}
