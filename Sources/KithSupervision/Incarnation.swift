/// One process of a worker, past or present: the worker's name and which of its processes.
///
/// Whatever is said about a process names its incarnation, so that what is said late about a
/// process that is gone can never touch the one that followed it.
public struct Incarnation: Hashable, Sendable, CustomStringConvertible {
  /// The highest generation that is ever given. Whoever starts a process each nanosecond gets there
  /// in 146 years; a file that says more was not written by a host.
  public static let largestGeneration: UInt64 = 1 << 62

  /// The worker's name in the product's manifest.
  public var worker: String

  /// Counts the processes that were started under this name in this product root, from 1.
  public var generation: UInt64

  /// The process of a worker with this number.
  public init(worker: String, generation: UInt64) {
    self.worker = worker
    self.generation = generation
  }

  /// `risk-engine.3`, as in the names of its sockets.
  public var description: String { "\(worker).\(generation)" }
}
