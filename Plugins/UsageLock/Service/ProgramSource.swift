import UsageLockDomain

/// The programs of this machine that the worker may see and signal.
public protocol ProgramSource: Sendable {
  /// Those that run now.
  func running() async throws -> [SeenProgram]

  /// Freezes, resumes or ends one of them. One that has ended is no error.
  func carryOut(_ order: ProgramOrder, on program: String) async throws
}

/// A process of a program that runs.
public struct SeenProgram: Sendable, Hashable {
  /// Names the process, and no other until the next boot.
  public var id: String
  /// What it is known by: paths, desktop files, units.
  public var names: [String]
  /// Whether it is stopped, by whomever.
  public var isStopped: Bool

  /// A process.
  public init(id: String, names: [String], isStopped: Bool) {
    self.id = id
    self.names = names
    self.isStopped = isStopped
  }

  /// As the rules know it.
  var program: ProgramWatch.Program {
    ProgramWatch.Program(id: id, names: names, isStopped: isStopped)
  }
}

/// What is done to a program.
public enum ProgramOrder: Sendable, Hashable {
  /// Stop it where it is; let it go on.
  case freeze, resume
  /// Ask it to end; end it.
  case end, kill

  /// Nil for what is told and not done.
  init?(_ kind: ProgramWatch.Act.Kind) {
    switch kind {
    case .warn: return nil
    case .freeze: self = .freeze
    case .resume: self = .resume
    case .end: self = .end
    case .kill: self = .kill
    }
  }
}
