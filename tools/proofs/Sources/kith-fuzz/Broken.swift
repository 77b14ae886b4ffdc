import Glibc

/// Ends the process when something does not hold, and says what: an optimised `precondition` says
/// nothing.
func require(_ holds: Bool, _ otherwise: @autoclosure () -> String) {
  if !holds { broken(otherwise()) }
}

/// Ends the process because something does not hold.
func broken(_ what: String) -> Never {
  let words = Array("broken: \(what)\n".utf8)
  _ = write(STDERR_FILENO, words, words.count)
  abort()
}
