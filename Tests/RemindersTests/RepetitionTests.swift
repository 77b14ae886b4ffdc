import KithTime
import RemindersDomain
import Testing

/// When cards of drills are shown again. The vectors are those published with FSRS-6 and SM-2.
@Suite struct RepetitionTests {
  private let scheduler = FreeSpacedRepetitionScheduler()
  private let start = Instant(seconds: 1_669_811_400)

  private func reviews(_ grades: [Grade], days: [Int]) -> [Review] {
    zip(grades, days).map { Review($0, at: start + .seconds($1 * 86_400)) }
  }

  @Test func case19FreeSpacedRepetitionGivesThePublishedIntervals() {
    var card = RepeatedCard(due: start)
    var intervals: [Int] = []
    let grades: [Grade] =
      Array(repeating: .good, count: 6) + [.again, .again]
      + Array(repeating: .good, count: 5)
    for grade in grades {
      let now = card.due
      card = scheduler.card(card, after: Review(grade, at: now))
      intervals.append((card.due.milliseconds - now.milliseconds) / 86_400_000)
    }
    #expect(intervals == [0, 2, 11, 46, 163, 498, 0, 0, 2, 4, 7, 12, 21])
  }

  @Test func case19FreeSpacedRepetitionGivesThePublishedMemory() throws {
    let card = scheduler.card(
      replaying: reviews([.again, .good, .good, .good, .good, .good], days: [0, 0, 1, 4, 12, 33]),
      from: start)
    #expect(abs(try #require(card.stability) - 53.62691) < 1e-4)
    #expect(abs(try #require(card.difficulty) - 6.3574867) < 1e-5)
  }

  @Test func case20ReviewsAreAllThatACardFollowsFrom() {
    var generator = SeededGenerator(seed: 20)
    for _ in 0..<200 {
      var (card, log, now) = (RepeatedCard(due: start), [Review](), start)
      for _ in 0..<Int.random(in: 1...30, using: &generator) {
        now = now + .seconds(Int64.random(in: 1...5_000_000, using: &generator))
        let review = Review(Grade.allCases.randomElement(using: &generator) ?? .good, at: now)
        log.append(review)
        card = scheduler.card(card, after: review)
        #expect((1.0...10).contains(card.difficulty ?? 0) && (card.stability ?? 0) >= 0.001)
        #expect(card.due > now)
      }
      #expect(scheduler.card(replaying: log, from: start) == card)
    }
  }

  @Test func whatIsForgottenIsLearnedAnew() {
    let known = scheduler.card(replaying: reviews([.easy], days: [0]), from: start)
    #expect(known.stage == .review)
    let forgotten = scheduler.card(known, after: Review(.again, at: known.due))
    #expect(forgotten.stage == .relearning(step: 0))
    #expect((forgotten.stability ?? 9) < (known.stability ?? 0))
    #expect(scheduler.retrievability(of: known, at: start) == 1)
    #expect(scheduler.retrievability(of: RepeatedCard(due: start), at: start) == 0)
  }

  @Test func superMemo2GivesThePublishedIntervals() {
    var card = SuperMemo2()
    let intervals = [5, 5, 5, 3, 4, 2, 4, 4].map { quality in
      card.review(quality: quality)
      return card.interval
    }
    #expect(intervals == [1, 6, 17, 48, 128, 1, 6, 16])
    for _ in 0..<50 { card.review(quality: 3) }
    #expect(card.easiness == 1.3)
  }
}
