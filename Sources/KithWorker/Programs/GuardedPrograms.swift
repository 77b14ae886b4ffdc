import HostContract
import KithRPC

/// The programs of a person of this machine that the worker's manifest grants by `programs`. The
/// host lists and signals them; the worker's sandbox stays as it is.
///
/// ```swift
/// for program in try await context.programs.running() where isLocked(program.names) {
///   try await context.programs.send(.freeze, to: program)
/// }
/// ```
/// A worker without the grant is answered PERMISSION_DENIED.
public struct GuardedPrograms: Sendable {
  /// A process of one of them.
  public struct Program: Sendable, Hashable {
    /// The process.
    public let pid: Int32
    /// When the kernel started it, in clock ticks since boot.
    public let startTicks: UInt64
    /// The names by which it is granted.
    public let names: [String]
    /// Whether it is stopped, by whomever.
    public let isStopped: Bool
  }

  /// What is done to a program.
  public enum Signal: Sendable, Hashable {
    /// Stop it where it is; let it go on.
    case freeze, resume
    /// Ask it to end; end it.
    case end, kill
  }

  private static let patience = Duration.seconds(2)
  private let host: HostClient?

  init(_ host: HostClient?) { self.host = host }

  /// Those that run now.
  /// - Throws: PERMISSION_DENIED without the grant; FAILED_PRECONDITION without a host, or where
  ///   the grant names no person of this machine.
  public func running() async throws -> [Program] {
    try await client().listPrograms(
      ListProgramsRequest(), options: CallOptions(timeout: Self.patience)
    ).programs.map {
      Program(
        pid: $0.pid, startTicks: $0.startTicks, names: $0.names, isStopped: $0.isStopped)
    }
  }

  /// Does something to one of them. One that has ended meanwhile is no error.
  /// - Throws: as ``running()``.
  public func send(_ signal: Signal, to program: Program) async throws {
    try await send(signal, toPid: program.pid, startTicks: program.startTicks)
  }

  /// Does something to one that was listed before, perhaps by an earlier process of this worker.
  public func send(_ signal: Signal, toPid pid: Int32, startTicks: UInt64) async throws {
    let wanted: ProgramSignal =
      switch signal {
      case .freeze: .freeze
      case .resume: .continue
      case .end: .end
      case .kill: .kill
      }
    let request = SignalProgramRequest(pid: pid, startTicks: startTicks, signal: wanted)
    do throws(RPCError) {
      _ = try await client().signalProgram(
        request, options: CallOptions(timeout: Self.patience))
    } catch {
      guard error.code == .notFound else { throw error }
    }
  }

  private func client() throws(RPCError) -> HostClient {
    guard let host else {
      throw RPCError(.failedPrecondition, "this worker runs without a host and sees no programs")
    }
    return host
  }
}
