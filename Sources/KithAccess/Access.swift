/// Who may do what to whose records: the one place where it is decided.
///
/// | caller | read | change | own |
/// |---|---|---|---|
/// | the person whose records they are | yes | yes | yes |
/// | a linked caregiver | yes | yes | no |
/// | a linked viewer | yes | no | no |
/// | the product | yes | yes | yes |
/// | a worker in its own name | no | no | no |
/// | anybody else | no | no | no |
///
/// A link leads one step, and one way: a caregiver of a caregiver sees nothing, nor does the senior
/// see the family's records. Of several links between the same two the one that allows more counts.
public struct Access: Sendable, Hashable {
  /// What is to be done to records.
  public enum Action: String, Sendable, Hashable, CaseIterable {
    /// See them.
    case read
    /// Add to them, change them, remove single ones.
    case change
    /// Take all of them away, or elsewhere; let others in.
    case own
  }

  /// A decision in favour, which a store asks for before it reads or writes records. Nothing but
  /// ``Access`` makes one.
  public struct Grant: Sendable, Hashable {
    /// Whose records; nil means everybody's.
    public let users: Set<UserID>?
    /// What may be done to them.
    public let action: Action

    /// Whether it covers an action on a person's records. Who may own may change, who may change
    /// may read.
    public func covers(_ action: Action, on user: UserID) -> Bool {
      self.action >= action && users.map { $0.contains(user) } ?? true
    }
  }

  /// Why nothing was granted. It does not tell whether there is such a person.
  public struct Denial: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was to be done.
    public let action: Action

    /// A denial.
    public init(action: Action) { self.action = action }

    /// `the caller may not read these records: ...`
    public var description: String {
      "the caller may not \(action.rawValue) these records: they are somebody else's, and no link "
        + "allows it"
    }
  }

  private let caller: Caller
  private let links: Set<FamilyLink>

  /// What a caller may do.
  /// - Parameter links: those between people; the caller's own ones are enough.
  public init(of caller: Caller, links: some Sequence<FamilyLink> = []) {
    self.caller = caller
    self.links = Set(links)
  }

  /// Asks for an action on the records of one person.
  public func grant(_ action: Action, on user: UserID) throws(Denial) -> Grant {
    guard allows(action, on: user) else { throw Denial(action: action) }
    return Grant(users: [user], action: action)
  }

  /// Asks for an action on all the records that the caller may do it to: one's own and those of
  /// linked people, or everybody's for the product. Nobody's for a stranger.
  public func grantAll(_ action: Action) -> Grant {
    switch caller {
    case .product: Grant(users: nil, action: action)
    case .stranger, .worker: Grant(users: [], action: action)
    case .user(let own):
      Grant(
        users: Set(([own] + links.map(\.senior)).filter { allows(action, on: $0) }), action: action)
    }
  }

  private func allows(_ action: Action, on user: UserID) -> Bool {
    switch caller {
    case .product: true
    case .stranger, .worker: false
    case .user(user): true
    case .user(let own):
      links.contains { link in
        link.senior == user && link.family == own && action <= link.role.mostAllowed
      }
    }
  }
}

extension Access.Action: Comparable {
  /// Whether the right side allows all that the left side does, and more.
  public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension FamilyLink.Role {
  fileprivate var mostAllowed: Access.Action {
    switch self {
    case .viewer: .read
    case .caregiver: .change
    }
  }
}
