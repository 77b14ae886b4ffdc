import Glibc
import KithRPC
import KithTesting

/// What a client notes while it runs: a file of lines that outlives its process, so that what a
/// killed client was told counts too, and that the client's memory holds nothing of the past.
struct Journal: Sendable {
  private let descriptor: Int32

  /// Notes at the end of a file. The process holds it until it ends.
  init(path: String) throws(TestingError) {
    descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw TestingError("cannot write \(path): \(String(cString: strerror(errno)))")
    }
  }

  /// A call begins.
  func begin(_ shape: String) { note("begun \(shape)") }

  /// A call has ended.
  func end(_ shape: String, _ end: CallEnd) {
    switch end {
    case .ok: note("ok \(shape)")
    case .failed(let code): note("failed \(code.rawValue)")
    case .odd(let reason): note("odd \(shape): \(reason)")
    case .lost(let reason): note("lost \(shape): \(reason)")
    }
  }

  /// The worker has said that it wrote an entry.
  func acknowledge(_ entry: String) { note("entry \(entry)") }

  private func note(_ words: String) {
    // One write, so that lines of several tasks never mix.
    let line = Array((words.replacing("\n", with: " ") + "\n").utf8)
    precondition(write(descriptor, line, line.count) == line.count, "the journal cannot be written")
  }
}
