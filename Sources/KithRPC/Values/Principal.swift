/// Who makes a call, as far as the callee has verified it, and for whom it may speak.
public struct Principal: Sendable, Hashable {
  /// What kind of caller it is.
  public enum Kind: Sendable, Hashable {
    /// A caller without proof.
    case stranger
    /// The host of the product.
    case host
    /// Somebody who can read the operator's token: the command line, a test.
    case `operator`
    /// A worker of the product.
    case worker
    /// A process on another machine that has shown a certificate.
    case certificate
  }

  /// The people for whom a caller may speak, by their ids.
  public enum People: Sendable, Hashable {
    /// These.
    case only(Set<String>)
    /// Everybody.
    case everybody

    /// Nobody.
    public static let nobody = People.only([])

    /// Whether a person is among them.
    public func contains(_ id: String) -> Bool {
      switch self {
      case .only(let ids): ids.contains(id)
      case .everybody: true
      }
    }
  }

  /// What kind of caller it is.
  public let kind: Kind
  /// The verified name of the worker that calls; nil for any other caller.
  public let worker: String?
  /// The generation of that worker; 0 for any other caller.
  public let generation: UInt64
  /// For whom it may speak.
  public let people: People

  /// A caller without proof.
  public static let stranger = Principal(.stranger, people: .nobody)
  /// The host of the product.
  public static let host = Principal(.host, people: .everybody)
  /// An operator.
  public static let `operator` = Principal(.operator, people: .everybody)

  /// A worker of the product.
  public static func worker(
    _ name: String, generation: UInt64, people: People = .nobody
  ) -> Principal {
    Principal(.worker, worker: name, generation: generation, people: people)
  }

  /// A process on another machine.
  public static func certificate(people: People) -> Principal {
    Principal(.certificate, people: people)
  }

  private init(_ kind: Kind, worker: String? = nil, generation: UInt64 = 0, people: People) {
    self.kind = kind
    self.worker = worker
    self.generation = generation
    self.people = people
  }
}

extension Principal: CustomStringConvertible {
  /// `worker reminders.3`, `operator`.
  public var description: String {
    worker.map { "worker \($0).\(generation)" } ?? "\(kind)"
  }
}
