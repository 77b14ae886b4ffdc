import Testing

@testable import KithWorker

@Suite struct LogThrottleTests {
  @Test func oneOfManyIsAdmittedAndTheOthersAreCounted() {
    let throttle = LogThrottle()
    let start = ContinuousClock.now
    #expect(throttle.admit(at: start) == 0)
    for second in 1...9 { #expect(throttle.admit(at: start + .seconds(second)) == nil) }
    #expect(throttle.admit(at: start + .seconds(10)) == 9)
    #expect(throttle.admit(at: start + .seconds(19)) == nil)
    #expect(throttle.admit(at: start + .seconds(40)) == 1)
    #expect(throttle.admit(at: start + .seconds(60)) == 0)
  }
}
