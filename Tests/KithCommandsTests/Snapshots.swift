/// What commands write, as it is meant to look.
enum Snapshots {
  static let analyzeHelp = """
    Usage: kith risk-engine analyze [TEXT] [FLAGS]

    Scores a text and says why, in words that an older person can act on.

    Uses the feature 'scam_check' of the person's plan, and 1 of the quota
    'scam_checks'.

    Flags:
      TEXT, --text TEXT         The text as it was received, in any script; at most
                                65536 bytes of UTF-8. Empty or blank is answered
                                INVALID_ARGUMENT, unless `sender` is given: then the
                                sender alone is scored, as for a call that rings.
      --channel CHANNEL         How it was received. Unspecified means that the
                                channel is not known, and the text is scored as an
                                SMS would be. (one of unspecified, sms, call,
                                voicemail, email, web, letter; default unspecified)
      --locale TEXT             The language and region of the person, a BCP 47 tag.
                                The engine reads English; for another language its
                                confidence drops and never its caution. Sentences
                                are in this language where a catalogue for it is
                                installed, else in English. (default en-US)
      --state TEXT              The person's US state or territory as two letters
                                (WA), for local contacts and local time. Empty gives
                                the federal contacts only.
      --[no-]sender-is-contact  Whether the sender is in the person's contacts.
                                Absent means that it is not known.
      --sender TEXT             Who sent it, as the device shows it: a telephone
                                number (`+12065550123`, `(206) 555-0123`), a short
                                code (`72663`) or an e-mail address; at most 320
                                bytes. Empty means that it is not known.
      --received-at TIME        When it was received. With a zone it tells whether
                                an agency would be at work. 0 means that it is not
                                known.
      --time-zone TEXT          The person's time zone, an IANA name
                                (America/New_York). Empty means the zones of
                                `state`; where those disagree, only what holds in
                                each of them counts.

    Of every call:
      --json                 Write the answer as proto3 JSON.
      --json-request JSON    The request as proto3 JSON (- reads it from standard
                             input); flags are set on top of it.
      --timeout TIME         How long the call may take: 500ms, 5s, 2m (default
                             30s).
      --idempotency-key KEY  Names what is meant by this call: a worker that keeps a
                             record carries it out once however often it is made.
      --as USER              The person in whose name the call is made; without it,
                             it is the product's own.
      --product NAME         The product, when several run.
      --root DIR             The product's root, when it was started with one.

    A text or bytes can come from a file (@FILE) or from standard input (-); a text
    that begins with @ is written with two (@@).

    Example:
      kith risk-engine analyze "..."
    """

  static let workerHelp = """
    Usage: kith risk-engine VERB [FLAGS]

    Scores short texts that a person received. Stateless: nothing of a text is kept
    or logged.

    Verbs:
      analyze           Scores a text and says why, in words that an older person
                        can act on
      explain           Shows the whole calculation behind the score of a text:
                        every signal with its points, the caps of the groups, what
                        the model adds, and how they are blended
      build-features    Turns a text into what may leave a device for a second
                        opinion: numbers and names of signals, never words of the
                        text
      analyze-features  Scores a feature vector, without the text
      link              Reads a web address or host name as the engine does, without
                        visiting it: who owns the name, and whether it imitates
                        somebody
      rules             The signals of the rule bundle, in its order
      get-model         Which rules and which model answer, with the figures of the
                        training

    `kith risk-engine VERB --help` shows the flags of a verb.
    """

  static let answer = """
    score           0.9734
    score 100       97
    level           high
    label           likely scam
    category        government impersonation
    confidence      0.9
    reasons
      1. signal    gift_card_payment
         sentence  It asks to be paid in gift cards, which no agency or company ever
                   does.
         share     0.5
         span      "gift cards" (bytes 17 to 27)
      2. signal    model
         sentence  It reads like known scams.
         share     0.125
    recommended actions
      1. title  Hang up or delete it.
         steps  Do not call the number it gives.
                Call the number on the web page of the office.
    federal contacts
      1. name     Federal Trade Commission
         purpose  Report fraud
         phone    +18773824357
    legal note      This is advice, not a legal ruling.
    engine version  rules 1.0.0, model 1.0.0
    """

  static let tree = """
    name    a\u{fffd}[31m b
    left
      name  left
    children
      1. -
      2. name  second
    named
      oak
        name  oak
    number  0
    """

  static let status = """
    Boomer Buddy (boomer-buddy)  host 0.1.0, pid 4242, up 3 min 5 s

    WORKER       VERSION  STATE         PID      SINCE  RESTARTS  MEMORY
    risk-engine  2.2.0*   ready        4250  1 min 5 s         1  38 MiB
        * upgraded from 2.1.0, until the product is stopped with `kith down`
    reminders    1.0.0    backing off     -     800 ms         3       -
        died three times in a row
        starts again in 2 s
        last ended: exit code 3
        | error cannot open the database \u{fffd}[2J
    fall-watch   1.0.0    stopped         -          -         0       -
    """
}
