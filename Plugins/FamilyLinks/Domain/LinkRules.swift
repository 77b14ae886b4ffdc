/// Which links there may be.
public enum LinkRules {
  /// Why a link cannot be made.
  public enum Refusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// Nobody lets themselves in.
    case toOneself
    /// So many people are let in already.
    case tooMany(Int)

    /// What was wrong and what to do.
    public var description: String {
      switch self {
      case .toOneself: "a link is between two people"
      case .tooMany(let most): "\(most) links are there, as many as there may be; end one first"
      }
    }
  }

  /// Checks a new link.
  /// - Parameters:
  ///   - opened: how many links open the senior's records.
  ///   - entered: by how many links the family is let in.
  ///   - most: how many there may be of each.
  public static func check(
    senior: String, family: String, opened: Int, entered: Int, most: Int
  ) throws(Refusal) {
    if senior == family { throw .toOneself }
    if opened >= most || entered >= most { throw .tooMany(most) }
  }
}
