/// What a word can mean; most mean one thing, `second` and `quarter` two.
struct Lexeme: Sendable {
  var keyword = Keyword.none
  /// A number from 0 to 90.
  var number: Int {
    get { Int(small.number) }
    set { small.number = Int8(newValue) }
  }
  /// 1 for first.
  var ordinal: Int {
    get { Int(small.ordinal) }
    set { small.ordinal = Int8(newValue) }
  }
  /// 1 for Monday.
  var weekday: Int {
    get { Int(small.weekday) }
    set { small.weekday = Int8(newValue) }
  }
  /// 1 for January.
  var month: Int {
    get { Int(small.month) }
    set { small.month = Int8(newValue) }
  }
  /// A lexeme is looked at so often that its size shows.
  private var small: (number: Int8, ordinal: Int8, weekday: Int8, month: Int8) = (-1, 0, 0, 0)
  var unit: Grain?
  /// Seconds east of UTC, for the names of zones that are said with a time.
  var offset: Int? {
    get { hasOffset ? Int(minutesEast) * 60 : nil }
    set {
      hasOffset = newValue != nil
      minutesEast = Int16((newValue ?? 0) / 60)
    }
  }
  private var hasOffset = false
  private var minutesEast: Int16 = 0
  /// The first word of a holiday's name.
  var beginsHoliday = false
  /// Written with an s: days, Mondays.
  var plural = false
  /// A word that means something else as often ("sat", "may", "dec"): a time only in company.
  var isWeak = false
}

/// Words with a part of their own in the grammar.
enum Keyword: UInt8, Sendable {
  case none, at, on, `in`, of, the, a, and, to, from, until, through, between, by, before, after,
    since
  case during, within, `for`, with, this, next, last, past, coming, following, current, all, rest
  case every, other, once, twice, thrice, times, per, daily, weekly, monthly, yearly, hourly,
    nightly
  case biweekly, weekdays, weekend, everyday, instance, starting, except, up
  case today, tomorrow, yesterday, tonight, now, right, just, asap, moment
  case morning, afternoon, evening, night, breakfast, lunch, dinner, bedtime, meal, school
  case noon, midnight, mid, early, late, beginning, end, eod, eom, eoy, bom, boy
  case am, pm, p, m, oclock, half, quarter, couple, pair, few, fortnight, more, ago, hence
  case approximately, ish, oh, closest, ad, bc, q, hour, than, but, time, ides, start, h, x, suffix
}

/// Some keywords, as one number: made and asked without memory.
struct KeywordSet: ExpressibleByArrayLiteral, Sendable {
  private var bits: UInt128 = 0

  @inline(__always) init(arrayLiteral elements: Keyword...) {
    for element in elements { bits |= 1 << UInt128(element.rawValue) }
  }

  @inline(__always) init(_ set: KeywordSet) { self = set }

  @inline(__always) func contains(_ keyword: Keyword) -> Bool {
    bits >> UInt128(keyword.rawValue) & 1 != 0
  }
}

enum Lexicon {
  static func lookup(_ word: String) -> Lexeme? { words[word] }

  private static let words: [String: Lexeme] = {
    var words: [String: Lexeme] = [:]
    func add(_ text: String, _ change: (inout Lexeme) -> Void) {
      for word in text.split(separator: " ") { change(&words[String(word), default: Lexeme()]) }
    }
    for (keyword, text) in keywords { add(text) { $0.keyword = keyword } }
    for (number, text) in numbers.enumerated() { add(text) { $0.number = number } }
    for (index, text) in tens.enumerated() { add(text) { $0.number = (index + 2) * 10 } }
    for (index, text) in ordinals.enumerated() { add(text) { $0.ordinal = index + 1 } }
    add("twentieth") { $0.ordinal = 20 }
    add("thirtieth") { $0.ordinal = 30 }
    for (index, text) in weekdays.enumerated() {
      for word in text.split(separator: " ") {
        add(String(word)) { $0.weekday = index + 1 }
        add("\(word)s") {
          $0.weekday = index + 1
          $0.plural = true
        }
      }
    }
    for (index, text) in months.enumerated() { add(text) { $0.month = index + 1 } }
    for (unit, text) in units { add(text) { $0.unit = unit } }
    for (unit, text) in pluralUnits {
      add(text) {
        $0.unit = unit
        $0.plural = true
      }
    }
    for name in Holiday.names { add(name.words[0]) { $0.beginsHoliday = true } }
    for (hours, text) in offsets { add(text) { $0.offset = Int(hours * 3600) } }
    add("sat sun mon may march mar dec second seconds sec suns sats wed sept") { $0.isWeak = true }
    add("weekends wkends mornings afternoons evenings nights") { $0.plural = true }
    return words
  }()

  private static let keywords: [(Keyword, String)] = [
    (.at, "at @"), (.on, "on"), (.in, "in"), (.of, "of"), (.the, "the"), (.a, "a an"),
    (.and, "and & plus"), (.to, "to"), (.from, "from"), (.until, "until till til untill"),
    (.through, "through thru throughout"), (.between, "between"), (.by, "by"), (.before, "before"),
    (.after, "after"), (.since, "since"), (.during, "during"), (.within, "within"), (.for, "for"),
    (.with, "with"), (.this, "this"), (.next, "next"), (.last, "last"), (.past, "past previous"),
    (.coming, "coming upcoming"), (.following, "following"), (.current, "current"), (.all, "all"),
    (.rest, "rest remainder"), (.every, "every each ev"), (.other, "other alternate"),
    (.once, "once"), (.twice, "twice"), (.thrice, "thrice"),
    (.times, "times occurrences occasions"), (.per, "per"), (.daily, "daily"),
    (.everyday, "everyday"), (.weekly, "weekly"), (.biweekly, "biweekly fortnightly"),
    (.monthly, "monthly"),
    (.yearly, "yearly annually"), (.hourly, "hourly"), (.nightly, "nightly"),
    (.weekdays, "weekday weekdays workday workdays"),
    (.weekend, "weekend weekends wkend wkends"), (.instance, "instance instances"),
    (.starting, "starting beginning"), (.except, "except excepting excluding"), (.up, "up"),
    (.today, "today"), (.tomorrow, "tomorrow tomorrows tmrw tmr tomorow tommorow tommorrow"),
    (.yesterday, "yesterday"), (.tonight, "tonight tonite"), (.now, "now"), (.right, "right"),
    (.just, "just"), (.asap, "asap"), (.moment, "atm"), (.morning, "morning mornings"),
    (.afternoon, "afternoon afternoons afternoonish"), (.evening, "evening evenings eve"),
    (.night, "night nights"), (.breakfast, "breakfast"), (.lunch, "lunch lunchtime"),
    (.dinner, "dinner dinnertime supper"), (.bedtime, "bedtime bed"), (.meal, "meal meals"),
    (.school, "school"), (.noon, "noon midday noontime"), (.midnight, "midnight"), (.mid, "mid"),
    (.early, "early"), (.late, "late later"), (.beginning, "beginning"), (.start, "start begin"),
    (.end, "end"), (.eod, "eod"), (.eom, "eom"), (.eoy, "eoy"), (.bom, "bom"), (.boy, "boy"),
    (.am, "am"), (.pm, "pm"), (.p, "p"), (.oclock, "o'clock oclock"), (.half, "half"),
    (.couple, "couple"), (.pair, "pair"), (.few, "few"), (.fortnight, "fortnight"),
    (.more, "more additional extra less fewer"), (.ago, "ago back"), (.hence, "hence"),
    (
      .approximately,
      "approximately approx around about exactly roughly sharp anytime sometime sometimes"
    ), (.ish, "ish"),
    (.oh, "oh o ou"), (.closest, "closest nearest"), (.ad, "ad"), (.bc, "bc"), (.q, "q"),
    (.than, "than"), (.but, "but"), (.time, "time"), (.ides, "ides"), (.h, "h"),
    (.m, "m"), (.x, "x"), (.none, "as starts t z"), (.suffix, "st nd rd th"),
  ]
  private static let numbers = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
  ]
  private static let tens = [
    "twenty", "thirty", "forty fourty", "fifty", "sixty", "seventy", "eighty", "ninety",
  ]
  private static let ordinals = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth",
    "eighteenth", "nineteenth",
  ]
  private static let weekdays = [
    "monday mon", "tuesday tue tues", "wednesday wed wednsday weds", "thursday thu thur thurs",
    "friday fri", "saturday sat", "sunday sun",
  ]
  private static let months = [
    "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul",
    "august aug", "september sept sep", "october oct", "november nov", "december dec",
  ]
  /// As duckling reads them; `IST` is India's, `BST` Britain's.
  private static let offsets: [(Double, String)] = [
    (0, "gmt utc"), (-8, "pst"), (-7, "pdt mst"), (-6, "mdt cst"), (-5, "cdt est"), (-4, "edt"),
    (1, "cet bst"), (2, "cest"), (5.5, "ist"),
  ]
  private static let units: [(Grain, String)] = [
    (.second, "second sec s"), (.minute, "minute min m"), (.hour, "hour hr h"), (.day, "day d"),
    (.week, "week wk"), (.month, "month"), (.quarter, "quarter qtr"), (.year, "year yr"),
  ]
  private static let pluralUnits: [(Grain, String)] = [
    (.second, "seconds secs"), (.minute, "minutes mins"), (.hour, "hours hrs"), (.day, "days"),
    (.week, "weeks wks"), (.month, "months"), (.quarter, "quarters qtrs"), (.year, "years yrs"),
  ]
}
