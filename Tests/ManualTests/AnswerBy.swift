import KithTime

/// How long somebody has to answer.
func answerBy(_ clock: ClockReading) -> TrustedDeadline {
  TrustedDeadline(.seconds(60), from: clock)
}

/// When the worker looks again, for `DueWork.nextDue()`.
func nextDue(_ deadline: TrustedDeadline, _ clock: ClockReading) -> Instant {
  deadline.instant(at: clock)
}
