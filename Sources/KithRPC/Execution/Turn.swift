import Glibc

/// Something that holds frames back for the length of a turn.
protocol Flushable: AnyObject {
  /// Writes what was held back.
  func flush()
}

/// What one thread has put off until the end of the callback, or of the batch of jobs, that it is
/// in.
///
/// Belongs to its thread: only reached through the thread's own key, so there is nothing to guard.
/// Its ``jobs`` are seen by other threads too.
final class Turn {
  /// Jobs that wait for the end of the callback.
  let jobs = TurnJobs()
  /// How many turns are open on this thread, one within the other.
  var depth = 0
  /// Whether jobs that are enqueued on this thread stay on it.
  var keepsJobs = false
  private var held: [any Flushable] = []

  /// The open turn of this thread.
  static var current: Turn? {
    guard let pointer = pthread_getspecific(key) else { return nil }
    let turn = Unmanaged<Turn>.fromOpaque(pointer).takeUnretainedValue()
    return turn.depth > 0 ? turn : nil
  }

  /// The turn of this thread, open or not.
  static func ofThisThread() -> Turn {
    if let pointer = pthread_getspecific(key) {
      return Unmanaged<Turn>.fromOpaque(pointer).takeUnretainedValue()
    }
    let turn = Turn()
    pthread_setspecific(key, Unmanaged.passRetained(turn).toOpaque())
    return turn
  }

  /// Puts off `connection.flush()` until the end of the turn.
  func hold(_ connection: any Flushable) {
    if !held.contains(where: { $0 === connection }) { held.append(connection) }
  }

  /// Writes what was held back.
  func flush() {
    while let connection = held.popLast() { connection.flush() }
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key) { pointer in
      if let pointer { Unmanaged<Turn>.fromOpaque(pointer).release() }
    }
    // A process has 1024 keys, and this one is made once: running out is not an operating error.
    precondition(status == 0, "pthread_key_create: no thread-specific key is left")
    return key
  }()
}
