import FallDetectorDomain
import FoundationEssentials
import Glibc

// Measures the fall detector: see tools/eval-falls.

var folder: String?
var weightsFile: String?
var isWriting = false
var foldCount = 8
var seed: UInt64 = 1

/// Ends the program with a message.
func fail(_ message: String, code: Int32) -> Never {
  let text = Array("eval-falls: \(message)\n".utf8)
  _ = write(STDERR_FILENO, text, text.count)
  exit(code)
}

var arguments = CommandLine.arguments.dropFirst().makeIterator()
while let argument = arguments.next() {
  switch argument {
  case "--weights": weightsFile = arguments.next()
  case "--write": isWriting = true
  case "--folds":
    guard let count = arguments.next().flatMap({ Int($0) }), count >= 2 else {
      fail("expected --folds with a number from 2", code: 64)
    }
    foldCount = count
  case "--seed":
    guard let number = arguments.next().flatMap({ UInt64($0) }) else {
      fail("expected --seed with a number", code: 64)
    }
    seed = number
  default:
    guard folder == nil, !argument.hasPrefix("-") else {
      fail("unexpected argument '\(argument)'", code: 64)
    }
    folder = argument
  }
}
guard let folder else { fail("expected a folder of recordings", code: 64) }

let recordings: [Recording]
do {
  recordings = try DataSet(folder: folder).recordings
} catch {
  fail("cannot read \(folder): \(error)", code: 66)
}
let evaluation = Evaluation(recordings, foldCount: foldCount)
let weights = Fit.weights(
  for: evaluation.impacts, scoreBar: DetectorSettings.standard.waist.scoreBar)

if isWriting, let weightsFile {
  let source = Fit.source(of: weights, subjectCount: Set(recordings.map(\.subject)).count)
  do {
    try Data(source.utf8).write(to: URL(filePath: weightsFile))
  } catch {
    fail("cannot write \(weightsFile): \(error)", code: 66)
  }
}
Report(evaluation: evaluation, weights: weights, seed: seed).printAll()
