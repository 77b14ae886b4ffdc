/// Official places to ask or to report to, as they are written. What they are for stands in the
/// string catalogue under their ids.
public struct ContactFile: Codable, Sendable {
  /// Somebody official of the whole country.
  public struct Federal: Codable, Sendable, Hashable {
    /// The stable name: `ftc`.
    public var id: String
    /// Who.
    public var name: String
    /// A number in E.164 or a short code; empty when there is none.
    public var phone: String
    /// A web address; empty when there is none.
    public var url: String
    /// The kinds of scam that it is for; nil for all.
    public var categories: [String]?
  }

  /// A state, a district or a territory.
  public struct State: Codable, Sendable, Hashable {
    /// Its two letters.
    public var code: String
    /// Its name.
    public var name: String
    /// Its time zones, IANA names parted by spaces, the one with most people first.
    public var zones: String
    /// Who protects consumers there.
    public var office: String
    /// That office's number in E.164; empty when there is none.
    public var phone: String
    /// That office's web address.
    public var url: String
  }

  /// The version of the file.
  public var version: String
  /// The whole country's, most useful first.
  public var federal: [Federal]
  /// All states, districts and territories.
  public var states: [State]
}
