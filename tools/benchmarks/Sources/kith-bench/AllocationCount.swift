import ArgumentParser
import BenchmarkKit
import Glibc

/// The count that `AllocationCounter`, preloaded into a process, keeps in a file.
struct AllocationCount: ExpressibleByArgument {
  private let path: String

  init(argument: String) { path = argument }

  /// What a process must be started with to count.
  static func environment(countingIn path: String) throws -> [String: String] {
    let program = ChildProcess.ownPath
    let folder = program[..<(program.lastIndex(of: "/") ?? program.startIndex)]
    let library = "\(folder)/libAllocationCounter.so"
    // The linker only warns of a library that is not there, and the count would stay at nothing.
    guard access(library, R_OK) == 0 else {
      throw BenchmarkError("\(library) is not built: run tools/bench allocations")
    }
    return ["LD_PRELOAD": library, "KITH_BENCH_ALLOCATIONS": path]
  }

  /// How often the process has allocated up to now.
  func value() throws -> UInt64 {
    let file = open(path, O_RDONLY)
    defer { close(file) }
    var count: UInt64 = 0
    guard file >= 0, read(file, &count, 8) == 8 else {
      throw BenchmarkError("nothing counts in \(path): \(String(cString: strerror(errno)))")
    }
    return count
  }
}
