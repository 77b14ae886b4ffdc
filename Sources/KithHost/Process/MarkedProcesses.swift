import CLinux
import Glibc
import KithSupervision

/// The processes that carry an incarnation's mark in their environment: a worker's process, and all
/// that it started.
///
/// A descendant may leave its parent's process group and session and outlive its parent; its
/// environment goes with it. A process that takes the mark off itself is found by the mount
/// namespace that it cannot leave, where it has one.
struct MarkedProcesses {
  private static let variable = "KITH_INCARNATION"

  /// Kills the processes of all incarnations of a product but these.
  static func endAll(runtimeDirectory: String, besides incarnations: Set<Incarnation>) {
    let prefix = Array("\(variable)=\(runtimeDirectory)/".utf8)
    let spared = Set(incarnations.map { Array($0.description.utf8) })
    end { pid in
      isMarked(pid) { entry in
        entry.starts(with: prefix) && !spared.contains(Array(entry.dropFirst(prefix.count)))
      }
    }
  }

  /// The mark: a path that no other incarnation of this machine has.
  let mark: String

  /// The processes of an incarnation of a product.
  init(_ incarnation: Incarnation, runtimeDirectory: String) {
    mark = "\(runtimeDirectory)/\(incarnation)"
  }

  /// The variable as an environment has it.
  var entry: String { "\(Self.variable)=\(mark)" }

  /// Kills all of them until there are none. Answers how many there were.
  ///
  /// May take milliseconds: it reads /proc.
  /// - Parameter namespace: where all of them run that have not been marked or are so no more; nil
  ///   when they have none.
  @discardableResult
  func end(in namespace: MountNamespace? = nil) -> Int {
    let entry = Array(entry.utf8)
    return Self.end { pid in
      namespace?.holds(pid) == true || Self.isMarked(pid) { $0.elementsEqual(entry) }
    }
  }

  @discardableResult
  private static func end(_ isMeant: (Int32) -> Bool) -> Int {
    var ended: Set<Int32> = []
    // A process that starts others faster than they can be killed has a bound too: the limit of
    // processes.
    for _ in 0..<100 {
      let found = all(isMeant)
      if found.isEmpty { break }
      for process in found {
        kith_linux_pidfd_send_signal(process.pidfd.number, SIGKILL)
        ended.insert(process.pid)
      }
      for process in found {
        var entry = pollfd(fd: process.pidfd.number, events: Int16(POLLIN), revents: 0)
        poll(&entry, 1, 1000)
        // Orphans become children of the host, which must let the kernel forget them.
        waitpid(process.pid, nil, WNOHANG)
      }
    }
    return ended.count
  }

  /// Lets the kernel forget descendants of workers that became children of this process and have
  /// ended.
  /// - Parameter children: the processes that this one started itself, which are waited for
  ///   elsewhere.
  static func reapOrphans(besides children: Set<Int32>) {
    for thread in (try? DurableFile.names(in: "/proc/self/task")) ?? [] {
      let list = ProcessFile.text("/proc/self/task/\(thread)/children") ?? ""
      for pid in list.split(separator: " ").compactMap({ Int32($0) })
      where !children.contains(pid) {
        waitpid(pid, nil, WNOHANG)
      }
    }
  }

  private static func all(_ isMeant: (Int32) -> Bool) -> [(pid: Int32, pidfd: Descriptor)] {
    guard let names = try? DurableFile.names(in: "/proc") else { return [] }
    return names.compactMap { name in
      guard let pid = Int32(name), pid > 1, isMeant(pid) else { return nil }
      let number = kith_linux_pidfd_open(pid)
      guard number >= 0 else { return nil }
      let pidfd = Descriptor(taking: number)
      // Asked again with the pidfd in hand, so that it cannot be another process's that got the pid
      // meanwhile.
      return isMeant(pid) ? (pid, pidfd) : nil
    }
  }

  private static func isMarked(_ pid: Int32, _ isMeant: (ArraySlice<UInt8>) -> Bool) -> Bool {
    guard let environment = try? DurableFile.read("/proc/\(pid)/environ") else { return false }
    return environment.split(separator: 0).contains(where: isMeant)
  }
}
