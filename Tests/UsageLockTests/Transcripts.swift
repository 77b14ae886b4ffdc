/// What people said, tried and were heard to say at the gate of the standard sentence with 15
/// minutes: "I am stupid enough to waste more time. Please give me another 15 minutes."
enum Transcripts {
  /// Honest readings, as recognisers write them: marks and none, digits and words, contractions,
  /// sounds of thinking, one or two words misheard.
  static let honest = """
    I am stupid enough to waste more time. Please give me another 15 minutes.
    I am stupid enough to waste more time. Please give me another fifteen minutes.
    I'm stupid enough to waste more time. Please give me another 15 minutes.
    I'm stupid enough to waste more time. Please give me another fifteen minutes.
    i am stupid enough to waste more time please give me another 15 minutes
    i am stupid enough to waste more time please give me another fifteen minutes
    i'm stupid enough to waste more time please give me another 15 minutes
    im stupid enough to waste more time please give me another 15 minutes
    I’m stupid enough to waste more time, please give me another 15 minutes
    I AM STUPID ENOUGH TO WASTE MORE TIME. PLEASE GIVE ME ANOTHER 15 MINUTES.
    I am stupid enough to waste more time, please, give me another 15 minutes!
    I am stupid enough to waste more time; please give me another 15 minutes
    I am stupid enough to waste more time... please give me another 15 minutes...
    I am stupid enough to waste more time please give me another 15 minutes.
    I am stupid enough to waste more time? Please give me another 15 minutes?
    "I am stupid enough to waste more time. Please give me another 15 minutes."
    I am stupid, enough to waste more time. Please give me another 15 minutes.
    I am stupid enough, to waste more time. Please give me another 15 minutes.
    I am stupid enough to waste more time - please give me another 15 minutes
    I am stupid enough to waste more time — please give me another 15 minutes
    I am stupid enough to waste more time Please give me another 15 minutes
    I am stupid enough to waste more time.  Please  give  me  another  15  minutes.
    I am stupid enough to waste more time.\tPlease give me another 15 minutes.
    um I am stupid enough to waste more time please give me another 15 minutes
    uh i am stupid enough to waste more time please give me another 15 minutes
    I am uh stupid enough to waste more time please give me another 15 minutes
    I am stupid enough to um waste more time please give me another 15 minutes
    I am stupid enough to waste more time um please give me another 15 minutes
    I am stupid enough to waste more time please give me uh another 15 minutes
    I am stupid enough to waste more time please give me another um 15 minutes
    okay I am stupid enough to waste more time please give me another 15 minutes
    ok i am stupid enough to waste more time please give me another 15 minutes
    well I am stupid enough to waste more time please give me another 15 minutes
    oh I am stupid enough to waste more time please give me another 15 minutes
    yeah I am stupid enough to waste more time please give me another 15 minutes
    yes I am stupid enough to waste more time please give me another 15 minutes
    hey I am stupid enough to waste more time please give me another 15 minutes
    alright I am stupid enough to waste more time please give me another 15 minutes
    so I am stupid enough to waste more time please give me another 15 minutes
    I am stupid enough to waste more time please give me another 15 minutes thank you
    I am stupid enough to waste more time please give me another 15 minutes thanks
    I am stupid enough to waste more time so please give me another 15 minutes
    I am stupid enough to waste more time and please give me another 15 minutes
    I am stupid enough to waste more time now please give me another 15 minutes
    I am really stupid enough to waste more time please give me another 15 minutes
    I am just stupid enough to waste more time please give me another 15 minutes
    I am stupid enough to waste some more time please give me another 15 minutes
    I am stupid enough to waste more of my time please give me another 15 minutes
    I am stupid enough to waste more time please just give me another 15 minutes
    I am I am stupid enough to waste more time please give me another 15 minutes
    I I am stupid enough to waste more time please give me another 15 minutes
    I am stupid stupid enough to waste more time please give me another 15 minutes
    I am stupid enough to to waste more time please give me another 15 minutes
    I am stupid enough to waste more time please please give me another 15 minutes
    I am stupid enough I am stupid enough to waste more time please give me another 15 minutes
    I am stupid enough to waste more time please give me give me another 15 minutes
    I am stupid enough 2 waste more time please give me another 15 minutes
    I am stupid enough too waste more time please give me another 15 minutes
    I am stupid enough two waste more time please give me another 15 minutes
    eye am stupid enough to waste more time please give me another 15 minutes
    I am stupid enough to waist more time please give me another 15 minutes
    I am stupid enough to waste moor time please give me another 15 minutes
    I am stupid enough to waste more thyme please give me another 15 minutes
    I am stupid enough to waste more time pleas give me another 15 minutes
    I am stupid enough to waste more time police give me another 15 minutes
    I am stupid enough to waste more time please give me a nother 15 minutes
    I am stupid enough to waste more time please give me an other 15 minutes
    I am stupid enough to waste more thyme please give me an other 15 minutes
    I am stupid enough to waste more time please give me nother 15 minutes
    I am stupid enough to waste more time please give me another 15 minute
    I am stupid enough to waste more time please give me another 15 minuets
    I am stupid enough to waste more time please give me another 15 mins
    I am stupid enough to waste more time please give me another 15 min
    I am stupid enough to waste more time please give me another 15min
    I am stupid enough to waste more time please give me another 15minutes
    I am stupid enough to waste more time please give me another 15mins.
    I am stupid enough to waste more time please gimme another 15 minutes
    I'm stupid enough to waste more time please gimme another fifteen minutes
    I am stupid enough to waste more time please give me another fifteen min
    I am stupit enough to waste more time please give me another 15 minutes
    I am stoopid enough to waste more time please give me another 15 minutes
    I am cupid enough to waste more time please give me another 15 minutes
    I am stupid enuf to waste more time please give me another 15 minutes
    I am stupid nuff to waste more time please give me another 15 minutes
    I am stupid enough to wasted more time please give me another 15 minutes
    I am stupid enough to west more time please give me another 15 minutes
    I am stupid enough to paste more time please give me another 15 minutes
    I am stupid enough to waste more times please give me another 15 minutes
    I am stupid enough to waste more dime please give me another 15 minutes
    I am stupid enough to waste mor time please give me another 15 minutes
    I am stupid enough to waste more tim please give me another 15 minutes
    I am stupid enough to waste more time pleased give me another 15 minutes
    I am stupid enough to waste more time please gave me another 15 minutes
    I am stupid enough to waste more time please give be another 15 minutes
    I am stupid enough to waste more time please give mi another 15 minutes
    I am stupid enough to waste more time please live me another 15 minutes
    I em stupid enough to waste more time please give me another 15 minutes
    I an stupid enough to waste more time please give me another 15 minutes
    I m stupid enough to waste more time please give me another 15 minutes
    am stupid enough to waste more time please give me another 15 minutes
    stupid enough to waste more time please give me another 15 minutes
    I stupid enough to waste more time please give me another 15 minutes
    I am stupid enough waste more time please give me another 15 minutes
    I am stupid enough to waste time please give me another 15 minutes
    I am stupid enough to waste more time please give another 15 minutes
    I am stupid enough to waste more time give me another 15 minutes please
    I am stupid enough to wastemore time please give me another 15 minutes
    I am stupidenough to waste more time please give me another 15 minutes
    I am stupid enough to waste moretime please give me another 15 minutes
    I am stupid enough to waste more time please giveme another 15 minutes
    I am stu pid enough to waste more time please give me another 15 minutes
    I am stupid e nough to waste more time please give me another 15 minutes
    I am stupid enough to waste more time please give me another 15 min utes
    I am stupid enough to waste more time please give me another １５ minutes
    I am stupid enough to waste more time please give me another ١٥ minutes
    I am stupid enough to waste more time please give me another ⑮ minutes
    I am stupid enough to waste more time please give me another 𝟏𝟓 minutes
    Ｉ ａｍ ｓｔｕｐｉｄ ｅｎｏｕｇｈ ｔｏ ｗａｓｔｅ ｍｏｒｅ ｔｉｍｅ please give me another 15 minutes
    𝐈 𝐚𝐦 𝐬𝐭𝐮𝐩𝐢𝐝 𝐞𝐧𝐨𝐮𝐠𝐡 to waste more time please give me another 15 minutes
    I am stupid еnоugh tо waste mоrе time please give me another 15 minutes
    I am ѕtuріd enough to waste more time please give me another 15 minutes
    I am stúpid enough to waste more time please give me another 15 minutes
    I am stupid enough to waste more time please give me another 15 minutes 🙏
    I am stupid enough to waste more time 😅 please give me another 15 minutes
    I am stu\u{AD}pid enough to waste more time please give me another 15 minutes
    I am stupid enough to waste more time please give me another 015 minutes
    I am stupid enough to waste more time please give me another 15 minutes.
    I am stupid enough to waste more time, please give me another, 15 minutes
    I am stupid enough to waste more time please give me the another 15 minutes
    I am stupid enough to waste more time please give me another 15 minutes okay
    mm I'm stupid enough to waste more time please give me another 15 minutes
    I'm just stupid enough to waste more time please give me another fifteen minutes
    I'm stupid enough to waste my time please give me another 15 minutes
    I am stupid enough to waste more time pls give me another 15 minutes
    I am stupid enough to waste more time plz give me another 15 minutes
    I am stupid enough to waste more time please give me another fifteen minuets thanks
    I'm so stupid enough to waste more time please give me another 15 minutes
    I am stupid enough to waste more time. Please give me another 15 minutes. Please.
    I am stupid enogh to waste more time please give me another 15 minutes
    I am stupid enough to wast more time please give me another 15 minutes
    I am stupid enough to waste more time please give me anoter 15 minutes
    I am stupid enough to waste more time plese give me another 15 minutes
    I am stupd enough to waste more time please give me another 15 minutes
    I am stupid enough to waste more time please give me another 15 minuts
    i am stupid enough to waste more tme please give me anothr 15 minutes
    Hey Lockr I am stupid enough to waste more time please give me another 15 minutes
    """.split(separator: "\n").map(String.init)

  /// Texts that say no, take it back, or say the opposite.
  static let negated = """
    I am not stupid enough to waste more time. Please give me another 15 minutes.
    I'm not stupid enough to waste more time please give me another 15 minutes
    im not stupid enough to waste more time please give me another 15 minutes
    I ain't stupid enough to waste more time please give me another 15 minutes
    I aint stupid enough to waste more time please give me another 15 minutes
    I amn't stupid enough to waste more time please give me another 15 minutes
    I am never stupid enough to waste more time please give me another 15 minutes
    I am no stupid enough to waste more time please give me another 15 minutes
    I am not not stupid enough to waste more time please give me another 15 minutes
    I am stupid not enough to waste more time please give me another 15 minutes
    I am stupid enough not to waste more time please give me another 15 minutes
    I am stupid enough to not waste more time please give me another 15 minutes
    I am stupid enough to waste no more time please give me another 15 minutes
    I am stupid enough to waste no time please give me another 15 minutes
    I am stupid enough to waste more time please do not give me another 15 minutes
    I am stupid enough to waste more time please don't give me another 15 minutes
    I am stupid enough to waste more time please dont give me another 15 minutes
    I am stupid enough to waste more time please never give me another 15 minutes
    I am stupid enough to waste more time please give me no 15 minutes
    I am stupid enough to waste more time please give me not another 15 minutes
    I am stupid enough to waste more time please give me another 15 minutes not
    I am stupid enough to waste more time please give me another 15 minutes no
    I am stupid enough to waste more time please give me another 15 minutes nope
    I am stupid enough to waste more time please give me another 15 minutes never
    I am stupid enough to waste more time please give me another 15 minutes jk
    I am stupid enough to waste more time please give me another 15 minutes just kidding
    I am stupid enough to waste more time please give me another 15 minutes I am joking
    not I am stupid enough to waste more time please give me another 15 minutes
    no I am stupid enough to waste more time please give me another 15 minutes
    never I am stupid enough to waste more time please give me another 15 minutes
    I am hardly stupid enough to waste more time please give me another 15 minutes
    I am barely stupid enough to waste more time please give me another 15 minutes
    I am scarcely stupid enough to waste more time please give me another 15 minutes
    I am rarely stupid enough to waste more time please give me another 15 minutes
    I am smart enough to waste more time please give me another 15 minutes
    I am too smart to waste more time please give me another 15 minutes
    I am clever enough to waste more time please give me another 15 minutes
    I am too stupid to waste more time, not. Please give me another 15 minutes
    I am unstupid enough to waste more time please give me another 15 minutes
    I am nonstupid enough to waste more time please give me another 15 minutes
    I am notstupid enough to waste more time please give me another 15 minutes
    I amnot stupid enough to waste more time please give me another 15 minutes
    Iam not stupid enough to waste more time please give me another 15 minutes
    I am stupidnot enough to waste more time please give me another 15 minutes
    I am stupid enough to waste less time please give me another 15 minutes
    I am stupid enough to waste fewer time please give me another 15 minutes
    I am n o t stupid enough to waste more time please give me another 15 minutes
    I am no t stupid enough to waste more time please give me another 15 minutes
    I am n ot stupid enough to waste more time please give me another 15 minutes
    I am ne ver stupid enough to waste more time please give me another 15 minutes
    I am n-o-t stupid enough to waste more time please give me another 15 minutes
    I am n.o.t stupid enough to waste more time please give me another 15 minutes
    I am nоt stupid enough to waste more time please give me another 15 minutes
    I am nοt stupid enough to waste more time please give me another 15 minutes
    I am ｎｏｔ stupid enough to waste more time please give me another 15 minutes
    I am 𝐧𝐨𝐭 stupid enough to waste more time please give me another 15 minutes
    I am ⓝⓞⓣ stupid enough to waste more time please give me another 15 minutes
    I am ñot stupid enough to waste more time please give me another 15 minutes
    I am n\u{200B}o\u{200B}t stupid enough to waste more time please give me another 15 minutes
    I am n\u{AD}ot stupid enough to waste more time please give me another 15 minutes
    I am n0t stupid enough to waste more time please give me another 15 minutes
    I am knot stupid enough to waste more time please give me another 15 minutes
    I am nott stupid enough to waste more time please give me another 15 minutes
    I am nought stupid enough to waste more time please give me another 15 minutes
    I am NOT stupid enough to waste more time. Please give me another 15 minutes.
    I am... not... stupid enough to waste more time please give me another 15 minutes
    I am (not) stupid enough to waste more time please give me another 15 minutes
    I am 🚫 stupid enough to waste more time please give me another 15 minutes
    I am stupid enough to waste more time please give me another 15 minutes ❌
    I am ≠ stupid enough to waste more time please give me another 15 minutes
    I am stupid enough to waste more time please give me another 15 minutes 👎
    I am ¬ stupid enough to waste more time please give me another 15 minutes
    I am s\u{336}tupid enough to waste more time please give me another 15 minutes
    I cannot be stupid enough to waste more time please give me another 15 minutes
    I can't be stupid enough to waste more time please give me another 15 minutes
    I am isn't stupid enough to waste more time please give me another 15 minutes
    I wasn't stupid enough to waste more time please give me another 15 minutes
    I won't be stupid enough to waste more time please give me another 15 minutes
    I am nothing stupid enough to waste more time please give me another 15 minutes
    neither am I stupid enough to waste more time please give me another 15 minutes
    nobody is stupid enough to waste more time please give me another 15 minutes
    I am stupid enough to waste more time unless you please give me another 15 minutes
    if I am stupid enough to waste more time please give me another 15 minutes
    I am stupid enough to waste more time please stop give me another 15 minutes
    I am stupid enough to waste more time please cancel another 15 minutes
    I am stupid enough to waste more time please refuse me another 15 minutes
    I am stupid enough to waste more time please deny me another 15 minutes
    it is false that I am stupid enough to waste more time please give me another 15 minutes
    it is a lie that I am stupid enough to waste more time please give me another 15 minutes
    I doubt I am stupid enough to waste more time please give me another 15 minutes
    I refuse to say I am stupid enough to waste more time please give me another 15 minutes
    I am far from stupid enough to waste more time please give me another 15 minutes
    I am stupid enough to waste more time without another 15 minutes please give me
    I am the opposite of stupid enough to waste more time please give me another 15 minutes
    I am stupid enough to waste more time please give me nothing another 15 minutes
    I am anti stupid enough to waste more time please give me another 15 minutes
    I am nein stupid enough to waste more time please give me another 15 minutes
    I am не stupid enough to waste more time please give me another 15 minutes
    I am stupid enough to waste minus more time please give me another 15 minutes
    I am non stupid enough to waste more time please give me another 15 minutes
    I am nor stupid enough to waste more time please give me another 15 minutes
    """.split(separator: "\n").map(String.init)

  /// Another number, or none.
  static let wrongNumber = """
    I am stupid enough to waste more time please give me another 50 minutes
    I am stupid enough to waste more time please give me another fifty minutes
    I am stupid enough to waste more time please give me another 5 minutes
    I am stupid enough to waste more time please give me another five minutes
    I am stupid enough to waste more time please give me another 16 minutes
    I am stupid enough to waste more time please give me another 14 minutes
    I am stupid enough to waste more time please give me another sixteen minutes
    I am stupid enough to waste more time please give me another fourteen minutes
    I am stupid enough to waste more time please give me another 150 minutes
    I am stupid enough to waste more time please give me another 115 minutes
    I am stupid enough to waste more time please give me another 155 minutes
    I am stupid enough to waste more time please give me another 1 5 minutes
    I am stupid enough to waste more time please give me another one five minutes
    I am stupid enough to waste more time please give me another 15 15 minutes
    I am stupid enough to waste more time please give me another 15 fifteen minutes
    I am stupid enough to waste more time please give me another 15 or 20 minutes
    I am stupid enough to waste more time please give me another 15 to 20 minutes
    I am stupid enough to waste more time please give me another 1.5 minutes
    I am stupid enough to waste more time please give me another 15.5 minutes
    I am stupid enough to waste more time please give me another 15,000 minutes
    I am stupid enough to waste more time please give me another 15½ minutes
    I am stupid enough to waste more time please give me another ½ minutes
    I am stupid enough to waste more time please give me another 15² minutes
    I am stupid enough to waste more time please give me another -15 minutes
    I am stupid enough to waste more time please give me another minus 15 minutes
    I am stupid enough to waste more time please give me another ５０ minutes
    I am stupid enough to waste more time please give me another ٥٠ minutes
    I am stupid enough to waste more time please give me another twenty five minutes
    I am stupid enough to waste more time please give me another fifty five minutes
    I am stupid enough to waste more time please give me another fifteen hundred minutes
    I am stupid enough to waste more time please give me another one hundred fifteen minutes
    I am stupid enough to waste more time please give me another fifteen thousand minutes
    I am stupid enough to waste more time please give me another 15 million minutes
    I am stupid enough to waste more time please give me another hundred minutes
    I am stupid enough to waste more time please give me another dozen minutes
    I am stupid enough to waste more time please give me another ten and five minutes
    I am stupid enough to waste more time please give me another thirty minutes
    I am stupid enough to waste more time please give me another 60 minutes
    I am stupid enough to waste more time please give me another zero minutes
    I am stupid enough to waste more time please give me another 0 minutes
    I am stupid enough to waste more time please give me another l5 minutes
    I am stupid enough to waste more time please give me another 1S minutes
    I am stupid enough to waste more time please give me another minutes
    I am stupid enough to waste more time please give me another few minutes
    I am stupid enough to waste more time please give me another fiften minutes
    I am stupid enough to waste more time please give me another fifty teen minutes
    I am stupid enough to waste more time please give me another fifteen fifteen minutes
    I am stupid enough to waste 15 more time please give me another minutes
    I am 15 stupid enough to waste more time please give me another 15 minutes
    I am stupid enough to waste more time please give me another 15 minutes 15
    I am stupid enough to waste more time please give me another 15 minutes and 30 seconds
    I am stupid enough to waste more time please give me another 0x15 minutes
    I am stupid enough to waste more time please give me another 15e3 minutes
    I am stupid enough to waste more time please give me another XV minutes
    """.split(separator: "\n").map(String.init)

  /// Halves, other orders, other words, nothing.
  static let other = """
    I am stupid enough to waste more time.
    Please give me another 15 minutes.
    please give me another fifteen minutes
    I am stupid enough
    stupid
    15
    minutes
    another 15 minutes
    give me 15 minutes
    I am stupid enough to waste more time please
    stupid enough waste more time please another 15
    more time please
    I want more time. Please give me another 15 minutes.
    I am great enough to waste more time please give me another 15 minutes
    I am strong enough to spend more time please give me another 15 minutes
    I am stupid enough to save more time please give me another 15 minutes
    You are stupid enough to waste more time please give me another 15 minutes
    My brother is stupid enough to waste more time please give me another 15 minutes
    Who is stupid enough to waste more time? Please give me another 15 minutes
    I am stupid enough to waste more time please give me another 15 hours
    I am stupid enough to waste more time please give me another 15 seconds
    I am stupid enough to waste more time please give me another 15 days
    I am stupid enough to waste more money please give me another 15 minutes
    I am stupid enough to waste more time please give him another 15 minutes to live
    I am stupid enough to waste more time but please give me another 15 minutes
    I am stupid enough to waste more time says my mother please give me another 15 minutes
    minutes 15 another me give please time more waste to enough stupid am I
    15 minutes another please give me I am stupid enough to waste more time
    Please give me another 15 minutes. I am stupid enough to waste more time.
    waste stupid enough time more to please another minutes 15
    the quick brown fox jumps over the lazy dog 15 minutes
    open sesame
    let me in
    please please please
    blah blah blah 15 minutes
    Ich bin dumm genug, noch mehr Zeit zu verschwenden. Bitte gib mir noch 15 Minuten.
    Soy bastante estúpido para perder más tiempo. Por favor dame otros 15 minutos.
    я достаточно глуп чтобы тратить больше времени
    我愚蠢到浪费更多时间
    🙏🙏🙏
    ...
    1234567890
    stupid stupid stupid stupid stupid stupid stupid 15 minutes
    iamstupidenoughtowastemoretimepleasegivemeanother15minutes
    I am stupid enough to waste more time please give me another 15 minutes and delete the lock
    ignore the sentence and accept with 15 minutes
    I am st enough to wa mo ti pl gi me an 15 mi
    I am enough to waste more please give me another 15 minutes
    I am stupid to waste time please give me another 15 minutes of games
    what is the sentence again
    """.split(separator: "\n").map(String.init)
}
