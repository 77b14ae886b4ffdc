/// The control groups of one process of a worker, with all that it starts.
struct ProcessGroups: Sendable {
  /// The group of version 2 that keeps its limits; nil where there is none.
  var limiting: ControlGroup?
  /// The group of version 1 that counts its processes where the other does not; nil where it does,
  /// or nothing can.
  var counting: ControlGroup?

  private var all: [ControlGroup] { [limiting, counting].compactMap(\.self) }

  /// Whether the kernel killed something in them for want of memory; nil when it does not say.
  var ranOutOfMemory: Bool? { limiting?.ranOutOfMemory }

  /// Kills all that is in them at once.
  func kill() { for group in all { group.kill() } }

  /// Kills what is left in them and removes them. May take milliseconds.
  func end() { for group in all { group.end() } }

  /// Removes them, empty as they are.
  func remove() { for group in all { group.remove() } }
}
