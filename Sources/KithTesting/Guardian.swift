import Glibc
import Synchronization

/// Ends the programs of a test process and removes its folders after that process, however it ends:
/// Ctrl-C and `kill -9` included.
///
/// A shell in a process group of its own reads the folders from a pipe whose other end only the
/// test process holds. When that end closes, the shell kills every program that carries its mark
/// and every process that works in one of the folders, and removes the folders that are left.
final class Guardian: Sendable {
  /// The variable of a program that names the guardian's process.
  static let variable = "KITH_TEST_GUARDIAN"

  /// The guardian of this process.
  static var shared: Guardian {
    get throws(TestingError) { try process.get() }
  }

  private static let process = Result { () throws(TestingError) in try Guardian() }

  /// The guardian's process, the value of ``variable``.
  let pid: Int32
  private let writing: Mutex<Int32?>

  /// Starts a guardian.
  init() throws(TestingError) {
    var pipe: [Int32] = [-1, -1]
    guard Glibc.pipe(&pipe) == 0 else { throw TestingError("no pipe can be created") }
    // No program of the test has been started yet: each asks for the guardian first.
    for descriptor in pipe { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    defer { Glibc.close(pipe[0]) }
    do {
      pid = try Program("/bin/sh", ["-c", Self.script]).start(inherited: [pipe[0]], guardian: nil)
        .pid
    } catch {
      Glibc.close(pipe[1])
      throw error
    }
    writing = Mutex(pipe[1])
  }

  /// Has a folder be removed, and whatever works in it be killed.
  func watch(_ folder: String) {
    writing.withLock { writing in
      guard let writing else { return }
      // One write of less than a pipe's atomic size.
      _ = "\(folder)\n".withCString { write(writing, $0, strlen($0)) }
    }
  }

  /// Closes the pipe, as the end of this process does.
  func close() {
    writing.withLock { writing in
      if let writing { Glibc.close(writing) }
      writing = nil
    }
  }

  private static let script = """
    trap '' HUP INT TERM
    folders=
    while read -r folder; do folders="$folders $folder"; done <&3
    left=
    for folder in $folders; do [ -d "$folder" ] && left="$left $folder"; done
    is_ours() {
      tr '\\0' '\\n' <"/proc/$1/environ" | grep -qx "\(variable)=$$" && return 0
      place=$(readlink "/proc/$1/cwd") || return 1
      for folder in $left; do case "$place/" in "$folder"/*) return 0 ;; esac; done
      return 1
    }
    found=yes
    while [ -n "$found" ]; do
      found=
      for entry in /proc/[0-9]*; do
        pid=${entry#/proc/}
        if [ "$pid" != $$ ] && is_ours "$pid"; then kill -KILL "$pid" && found=yes; fi
      done
      [ -z "$found" ] || sleep 0.05
    done
    for folder in $left; do
      while read -r _ place _; do
        case "$place" in "$folder"/*) umount -l "$place" ;; esac
      done </proc/mounts
      rm -rf "$folder"
    done
    """
}
