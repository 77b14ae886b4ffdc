import Glibc
import KithPersonalData

// Scans texts and prints where personal data stands, as `evaluate.py` compares it. A text comes as
// its length in bytes, a newline, and the bytes; an answer is a line with TYPE START END CONFIRMED
// of each, `;` between, in bytes of UTF-8. With --speed it prints how many megabytes a second are
// scanned, of its own texts or of what comes on its standard input.

func readInput() -> [UInt8] {
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = read(STDIN_FILENO, &chunk, chunk.count)
    guard count > 0 else { return bytes }
    bytes += chunk[..<count]
  }
}

func answer(_ text: [UInt8], _ scanner: PersonalDataScanner) -> String {
  scanner.findings(in: text).map {
    "\($0.type.name) \($0.bytes.lowerBound) \($0.bytes.upperBound) \($0.isConfirmed ? 1 : 0)"
  }.joined(separator: ";")
}

func answerAll(_ scanner: PersonalDataScanner) {
  let input = readInput()
  var place = 0
  while let newline = input[place...].firstIndex(of: UInt8(ascii: "\n")),
    let count = Int(String(decoding: input[place..<newline], as: UTF8.self)),
    newline + 1 + count <= input.count
  {
    let begin = newline + 1
    print(answer(Array(input[begin..<(begin + count)]), scanner))
    place = begin + count
  }
}

/// A kind of text, repeated to about this many bytes.
func fill(_ piece: String, _ count: Int = 1 << 20) -> [UInt8] {
  let piece = Array(piece.utf8)
  var bytes: [UInt8] = []
  while bytes.count < count { bytes += piece }
  return bytes
}

func measure(_ name: String, _ text: [UInt8], _ scanner: PersonalDataScanner) {
  var found = 0
  var rounds = 0
  let begin = seconds()
  while seconds() - begin < 1 {
    found = scanner.findings(in: text).count
    rounds += 1
  }
  let taken = seconds() - begin
  let megabytes = Double(rounds * text.count) / 1e6 / taken
  print("\(name): \(Int(megabytes.rounded())) MB/s, \(found) found in \(text.count) bytes")
}

/// The processor's time, so that what else runs does not count.
func seconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// What a line costs that is logged.
func measureLine(_ line: String) {
  let scanner = PersonalDataScanner(policy: .log)
  let begin = seconds()
  var bytes = 0
  for _ in 0..<200_000 { bytes += scanner.redacted(line).utf8.count }
  print("\(Int((seconds() - begin) / 200_000 * 1e9)) ns for the line: \(line)")
}

/// How time grows with a text: each line is twice as long as the one before.
func measureGrowth(_ piece: String, _ scanner: PersonalDataScanner) {
  let times = (16...20).map { power in
    let text = fill(piece, 1 << power)
    let begin = seconds()
    for _ in 0..<(1 << (20 - power)) { _ = scanner.findings(in: text) }
    return seconds() - begin
  }
  // A mebibyte each time, in sixteen texts, eight, ... and one: the same where time is in
  // proportion to length.
  let shown = times.map { "\(Int($0 * 1000))" }.joined(separator: " ")
  print("\(piece.debugDescription): ms for 1 MiB in pieces of 64 KiB to 1 MiB: \(shown)")
}

func speed(_ arguments: ArraySlice<String>) {
  let scanner = PersonalDataScanner()
  if arguments.contains("-") {
    measure("standard input", readInput(), scanner)
    return
  }
  let talk =
    """
    Hello Margaret, it was lovely to see you all on Sunday, and the garden looks better than ever. We left at half past six, and \
    the drive home took 45 minutes. Could you send me the recipe for the cake? The doctor said that my next visit is on March 3, \
    and that I should bring the list of what I take.

    """
  let mail =
    """
    Dear customer, your order 7729104 was sent today. For questions write to help@example.com or call (415) 555-0182 ext. 12. It \
    goes to 12 Main Street, Springfield, IL 62701. Your card 4111 1111 1111 1111 was charged $45.10 on 2025-11-01.

    """
  let log =
    """
    {"at_ms":1795226400123,"level":"info","call":"17","text":"model loaded","fields":{"version":"3.0.1","took_ms":"12"}}

    """
  measure("talk", fill(talk), scanner)
  measure("mail with personal data", fill(mail), scanner)
  measure("talk beyond ASCII", fill(talk.replacing("e", with: "é")), scanner)
  measure("a log", fill(log), PersonalDataScanner(policy: .log))
  measure("digits", fill("0123456789"), scanner)
  measure("groups of digits", fill("4111 "), scanner)
  measure("single digits", fill("4 "), scanner)
  measure("hexadecimal", fill("9f86d081884c7d659a2feaa0c55ad015 "), scanner)
  measure("signs", fill("@"), scanner)
  measure("colons", fill("a::1:"), scanner)
  measureLine("ready")
  measureLine("listens at tls+tcp://0.0.0.0:7443, generation 17 of pid 1234567")
  measureLine("cannot reach jo@example.org or (415) 555-0182")
  for piece in [
    "0", "4111 ", "4111-1111 ", "123 45 6789 ", "@", "a@a.", "1.2.3.4.", ":", "a:", "+1", "(415) ",
    "GB82 WEST ", "1A1zP1",
    "ssn 1 ", "born 1/", "12 Main ", "April 1 ", "a at ", "http://a:", "e\u{301}", "[REDACTED_",
  ] {
    measureGrowth(piece, scanner)
  }
}

let arguments = CommandLine.arguments.dropFirst()
if arguments.first == "--speed" {
  speed(arguments.dropFirst())
} else {
  answerAll(PersonalDataScanner(policy: arguments.first == "--log" ? .log : .message))
}
