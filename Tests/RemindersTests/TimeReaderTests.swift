import KithTime
import RemindersDomain
import Testing

/// What the grammar reads, said on Saturday 2026-11-21 at 18:15 in New York. `tools/eval-time`
/// measures it on other people's phrases.
@Suite struct TimeReaderTests {
  private func reader(_ now: String = "2026-11-21 18:15", region: Region = .unitedStates) throws
    -> TimeReader
  {
    let zone = try ZoneFiles().zone(named: "America/New_York")
    return TimeReader(
      reference: zone.instant(of: try wall(now)), zone: zone, options: .init(region: region))
  }

  private func moment(_ text: String, now: String = "2026-11-21 18:15") throws -> LocalMoment? {
    guard case .once(let moment)? = try reader(now).read(text)?.meaning else { return nil }
    return moment
  }

  private func schedule(_ text: String, now: String = "2026-11-21 18:15") throws -> Schedule? {
    guard case .recurring(let schedule)? = try reader(now).read(text)?.meaning else { return nil }
    return schedule
  }

  // MARK: Once

  @Test(arguments: [
    ("Pills at 8 pm", "2026-11-21T20:00:00"), ("in 20 minutes", "2026-11-21T18:35:00"),
    ("in an hour and a half", "2026-11-21T19:45:00"), ("tomorrow morning", "2026-11-22T08:00:00"),
    ("tonight", "2026-11-21T21:00:00"), ("Dentist 12/15 at 9:45 am", "2026-12-15T09:45:00"),
    ("the last Friday of the month", "2026-11-27T08:00:00"),
    ("call mom on sunday", "2026-11-22T08:00:00"), ("next Thursday at 10am", "2026-11-26T10:00:00"),
    ("3 in the afternoon tomorrow", "2026-11-22T15:00:00"), ("at noon", "2026-11-22T12:00:00"),
    ("half past seven pm", "2026-11-21T19:30:00"), ("quarter to nine pm", "2026-11-21T20:45:00"),
    ("the day after tomorrow at 17h30", "2026-11-23T17:30:00"),
    ("2 days before christmas", "2026-12-23T08:00:00"), ("on the 15th", "2026-12-15T08:00:00"),
    ("birthday of Anna on March 3rd", "2027-03-03T08:00:00"), ("in a week", "2026-11-28T18:15:00"),
    ("take the pill before bed", "2026-11-21T21:00:00"), ("alarm 6am", "2026-11-22T06:00:00"),
    ("2026-12-24 18:00", "2026-12-24T18:00:00"), ("easter", "2027-03-28T08:00:00"),
    ("thanksgiving", "2026-11-26T08:00:00"), ("at 8pm GMT", "2026-11-22T15:00:00"),
    ("later today", "2026-11-21T21:00:00"), ("next week on tuesday", "2026-11-24T08:00:00"),
    ("the week after next", "2026-11-30T08:00:00"), ("twenty to nine", "2026-11-21T20:40:00"),
    ("8.30pm", "2026-11-21T20:30:00"), ("2026-11-25T14:15:00Z", "2026-11-25T09:15:00"),
    ("10 August - 12 September 2027", "2027-08-10T08:00:00"),
  ])
  func whenAReminderIsDue(_ text: String, _ due: String) throws {
    #expect(try moment(text)?.due.description == due)
  }

  @Test func aPeriodHasAnEnd() throws {
    let meeting = try #require(try moment("meeting from 3 to 4:30 pm tomorrow"))
    #expect(meeting.start == (try wall("2026-11-22 15:00")))
    #expect(meeting.end == (try wall("2026-11-22 16:31")))
    #expect(try moment("July 13-15")?.end == wall("2027-07-16"))
    #expect(try moment("by 8pm")?.end == wall("2026-11-21 20:00"))
    #expect(try moment("after 8pm")?.shape == .after)
  }

  @Test func case16TomorrowIsTheDayAfterTheDayOnTheWall() throws {
    #expect(try moment("tomorrow", now: "2026-11-21 23:59:59")?.start == wall("2026-11-22"))
    #expect(try moment("tomorrow", now: "2026-11-22 00:30")?.start == wall("2026-11-23"))
  }

  @Test func aTimeThatHasPassedIsTomorrows() throws {
    #expect(try moment("at 3am")?.due == wall("2026-11-22 03:00"))
    #expect(try moment("at 6:15 pm")?.due == wall("2026-11-22 18:15"))
    #expect(try moment("at 6:16 pm")?.due == wall("2026-11-21 18:16"))
  }

  @Test func whoseSecondOfMarchItIs() throws {
    #expect(try reader().read("on 2/3")?.text == "")
    guard case .once(let american)? = try reader().read("on 2/3")?.meaning,
      case .once(let british)? = try reader(region: .britain).read("on 2/3")?.meaning
    else {
      Issue.record("2/3 is no day")
      return
    }
    #expect("\(american.start.date)" == "2027-02-03")
    #expect("\(british.start.date)" == "2027-03-02")
  }

  // MARK: Again and again

  @Test(arguments: [
    (
      "every weekday at 7:30 am take the blue pill",
      "FREQ=WEEKLY;BYMINUTE=30;BYHOUR=7;BYDAY=MO,TU,WE,TH,FR"
    ),
    ("every other Tuesday", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"),
    ("twice a day", "FREQ=DAILY;BYMINUTE=0;BYHOUR=8,20"),
    ("metformin with meals", "FREQ=DAILY;BYMINUTE=0;BYHOUR=8,12,18"),
    ("twice a day with meals", "FREQ=DAILY;BYMINUTE=0;BYHOUR=8,18"),
    ("every 8 hours until Friday", "FREQ=HOURLY;UNTIL=20261127;INTERVAL=8"),
    ("every day at 8 and 20", "FREQ=DAILY;BYMINUTE=0;BYHOUR=8,20"),
    ("every last friday of the month at 9 am", "FREQ=MONTHLY;BYMINUTE=0;BYHOUR=9;BYDAY=-1FR"),
    ("on the 15th of each month", "FREQ=MONTHLY;BYMONTHDAY=15"),
    ("flu shot every year on October 1st", "FREQ=YEARLY;BYMONTHDAY=1;BYMONTH=10"),
    ("sunday nights", "FREQ=WEEKLY;BYMINUTE=0;BYHOUR=21;BYDAY=SU"),
    ("every hour from 9am to 1pm", "FREQ=DAILY;BYMINUTE=0;BYHOUR=9,10,11,12,13"),
    ("weekdays except friday at 8am", "FREQ=WEEKLY;BYMINUTE=0;BYHOUR=8;BYDAY=MO,TU,WE,TH"),
    ("every mon-wed for 3 weeks", "FREQ=WEEKLY;UNTIL=20261212;BYDAY=MO,TU,WE"),
    ("nightly at 9", "FREQ=DAILY;BYMINUTE=0;BYHOUR=21"),
    ("every evening at 7", "FREQ=DAILY;BYMINUTE=0;BYHOUR=19"),
    ("biweekly on fridays", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"),
    ("every second day", "FREQ=DAILY;INTERVAL=2"), ("every second", "FREQ=SECONDLY"),
  ])
  func rulesThatPeopleSay(_ text: String, _ rule: String) throws {
    #expect(try schedule(text)?.rule?.text == rule)
  }

  @Test func timesWithDifferentMinutesAreJustThese() throws {
    let schedule = try #require(try schedule("insulin every day at 7:30 am and 8 pm"))
    #expect(
      try instants(schedule, in: "UTC", atMost: 3) == [
        "2026-11-21T20:00:00Z", "2026-11-22T07:30:00Z", "2026-11-22T20:00:00Z",
      ])
  }

  @Test func everyOtherWeekBeginsWithTheNext() throws {
    let schedule = try #require(
      try schedule("every other tuesday at 9 am", now: "2026-11-18 10:00"))
    #expect(
      try instants(schedule, in: "UTC", atMost: 2) == [
        "2026-11-24T09:00:00Z", "2026-12-08T09:00:00Z",
      ])
  }

  @Test func everyEightHoursIsElapsedTime() throws {
    let schedule = try #require(try schedule("antibiotic every 8 hours", now: "2026-03-07 22:00"))
    #expect(schedule.policy == .elapsed)
    #expect(
      try instants(schedule, in: "America/New_York", after: "2026-03-07 22:00", atMost: 2) == [
        "2026-03-08T11:00:00Z", "2026-03-08T19:00:00Z",
      ])
    #expect(try self.schedule("twice a day")?.policy == .wall)
  }

  @Test func daysThatAreExceptedAreLeftOut() throws {
    let schedule = try #require(
      try schedule("every day at 8am except tomorrow and november 24 until november 25"))
    #expect(
      try instants(schedule, in: "UTC") == ["2026-11-23T08:00:00Z", "2026-11-25T08:00:00Z"])
  }

  // MARK: What is left

  @Test(arguments: [
    ("every weekday at 7:30 take the blue pill", "take the blue pill"),
    ("Call Laura, tomorrow at 3:30 pm, about the trip", "Call Laura, about the trip"),
    ("On Friday call the bank", "call the bank"), ("Pills at 8 pm", "Pills"),
    ("walk the dog every day at 7 am and 7 pm", "walk the dog"),
    ("Kaffee für Jürgen um acht at 8 pm", "Kaffee für Jürgen um acht"), ("in 20 minutes", ""),
    ("lunch with Sam on friday", "lunch with Sam"), ("💊 at 9pm", "💊"),
    ("Anna’s call at 9 o’clock", "Anna’s call"),
  ])
  func theTextIsLeftWithoutTheTime(_ text: String, _ rest: String) throws {
    #expect(try reader().read(text)?.text == rest)
  }

  @Test func spansAreBytesOfTheText() throws {
    let text = "Pille für Jürgen tomorrow, bring water, at 8 pm"
    let spans = try #require(try reader().read(text)?.spans)
    let said = spans.map { String(decoding: Array(text.utf8)[$0], as: UTF8.self) }
    #expect(said == ["tomorrow", "at 8 pm"])
  }

  // MARK: Doubt

  @Test func eightIsAskedFor() throws {
    let reading = try #require(try reader().read("pills at 8"))
    #expect(reading.certainty == .ambiguous)
    guard case .once(let nearest) = reading.meaning,
      case .once(let other)? = reading.alternatives.first
    else {
      Issue.record("\(reading)")
      return
    }
    #expect(nearest.due == (try wall("2026-11-21 20:00")))
    #expect(other.due == (try wall("2026-11-22 08:00")))
    #expect(try reader().read("pills at 8 pm")?.certainty == .certain)
    #expect(try reader().read("pills at 20:00")?.certainty == .certain)
    #expect(try reader().read("pills every day at 8")?.alternatives.count == 1)
  }

  /// What would be understood only in part is not understood: a reminder at a wrong time is worse
  /// than a question.
  @Test(arguments: [
    "pills at 8 pm until March 15", "pills at 8 pm until Friday", "8 pm through Sunday",
    "take antibiotic at 9am for 7 days", "at 9am for a week take antibiotic",
    "meeting on Feb 30 at 5pm", "on April 31 at noon pay", "on the 32nd at 5pm pay",
    "13/4 at 5pm", "at 5pm on 31/12", "tomorrow at 25:00 go", "at 8:75 pm",
    "call Ann at 3pm London time", "every day at 9am, 10 times", "not on Sunday",
    "skip Sunday pills at 8pm", "pills at 8 pm today or tomorrow",
  ])
  func whatIsUnderstoodInPartIsNotClaimed(_ text: String) throws {
    #expect(try reader().read(text) == nil)
  }

  @Test func aCourseEndsOnItsLastDay() throws {
    for (text, rule) in [
      ("every day at 8 pm for 3 days", "20261123"), ("every day at 8 pm for a week", "20261127"),
      ("every day at 8 pm for one day", "20261121"),
    ] {
      guard case .recurring(let schedule)? = try reader().read(text)?.meaning else {
        Issue.record("\(text) is not understood")
        continue
      }
      #expect(schedule.rule?.text.contains("UNTIL=\(rule)") == true, "\(text): \(schedule)")
    }
  }

  @Test func case17WhatIsNoTimeIsLeftAlone() throws {
    for text in [
      "", "   ", "buy 3 lemons", "I sat in the sun", "may I go", "good morning", "wait a second",
      "call 650-650-6500", "2 adults", "this one", "at 650.650.6500", "3 30", "two three", "palm",
      "Pay ABC 2000", "4a.", "laughing out loud", "take 2-3 pills", "1/2 pill", "mar 99th",
      "at 25:00", "at a few", "single o'clock", "on my birthday", "every time I hear that",
      "every year on my birthday", "every hour until the bell rings", "twice weekly",
      "orthodox easter", "super tuesday", "except tomorrow", "9:75", "13/13/2026", "feb 30",
      // Half of it is understood, and the other half would change it.
      "mon, wed, fri at 7am", "mon wed fri at 8pm", "tuesday and thursday at 4pm", "monday week",
      "monday to friday 9am", "at 5:30 or 6", "an hour before midnight", "week from friday",
      "no later than friday 5pm", "saturday 10-12", "one hour after lunch", "bi-weekly",
      "in the morning and in the evening", "every hour on the hour", "every day until 5pm",
    ] {
      let reading = try reader().read(text)
      #expect(reading == nil, "\(text)")
    }
  }

  @Test func numbersBesideATimeAreNoTimes() throws {
    #expect(try moment("Take 2-3 pills at 9pm")?.due == wall("2026-11-21 21:00"))
    #expect(try moment("take 1/2 pill at bedtime")?.due == wall("2026-11-21 21:00"))
    #expect(try moment("chapter 3 tomorrow")?.grain == .day)
    #expect(try reader().read("vitamin B12 at 9 pm")?.text == "vitamin B12")
  }

  // MARK: Anything at all

  /// Words of the grammar in any order, cut anywhere: what is read has its spans in the text, and
  /// nothing stops the worker.
  @Test func anyTextIsReadOrNot() throws {
    let words = [
      "every", "other", "2nd", "second", "monday", "mon", ",", "-", "and", "to", "the", "last",
      "of",
      "month", "march", "may", "3", "15th", "8", ":", "30", "pm", "p", ".", "m", "at", "in", "half",
      "a", "quarter", "past", "until", "from", "between", "next", "week", "weekend", "days",
      "twice",
      "daily", "with", "meals", "tomorrow", "night", "2026", "/", "12", "starting", "except", "for",
      "times", "x", "hour", "1", "'", "\"", "ago", "easter", "eve", "end", "closest", "after",
      "before",
      "999999999999", "0", "99", "gmt", "(", ")", "oh", "three", "twenty", "as", "soon", "é",
      "week's",
      "year", "years", "thousand", "by", "on", "h", "fortnight", "now", "this", "weekdays",
      "instance",
    ]
    var generator = SeededGenerator(seed: 7)
    let reader = try reader()
    for _ in 0..<4_000 {
      let count = Int.random(in: 1...9, using: &generator)
      var text = ""
      for _ in 0..<count {
        text += words[Int.random(in: 0..<words.count, using: &generator)]
        if Int.random(in: 0..<4, using: &generator) > 0 { text += " " }
      }
      guard let reading = reader.read(text) else { continue }
      let isInText = reading.spans.allSatisfy { $0.upperBound <= text.utf8.count && !$0.isEmpty }
      let isAscending = zip(reading.spans, reading.spans.dropFirst())
        .allSatisfy { $0.upperBound <= $1.lowerBound }
      if !isInText || !isAscending || reading.spans.isEmpty {
        Issue.record("\(text): \(reading)")
      }
      if case .recurring(let schedule) = reading.meaning, let rule = schedule.rule {
        let again = try RecurrenceRule(parsing: rule.text)
        if again != rule { Issue.record("\(text): \(rule.text)") }
      }
    }
  }

  /// By the square of its length it would take hours.
  @Test(.timeLimit(.minutes(2))) func aLongTextIsReadToItsEnd() throws {
    let reader = try reader()
    for word in [
      "every ", "1 ", "and ", "monday and ", "first ", "2 hours ", "at ", "3/3 ", "for ",
    ] {
      let text = String(repeating: word, count: 20_000)
      _ = reader.read(text)
    }
  }
}
