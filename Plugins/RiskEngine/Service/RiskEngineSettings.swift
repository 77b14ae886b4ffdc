public import KithRPC
public import RiskEngineDomain

/// What a product sets of the risk engine.
public struct RiskEngineSettings: Sendable, Hashable {
  /// The bands of the score.
  public let bands: Bands
  /// Numbers that the product suspects, as digits with the country code.
  public let suspectedNumbers: Set<String>
  /// The folder beside `Resources` whose bundle answers in its place; empty for `Resources`.
  public let bundle: String

  /// What ships.
  public static let standard = RiskEngineSettings(
    checked: .standard, suspectedNumbers: [], bundle: "")

  /// Settings of the keys `label_medium`, `label_high`, `suspected_numbers` and `bundle`.
  ///
  /// - Throws: INVALID_ARGUMENT, naming the key, unless 0 < `medium` < `high` <= 1, every number is
  ///   one in E.164, and `bundle` is the name of a folder.
  public init(
    medium: Double, high: Double, suspectedNumbers: [String] = [], bundle: String = ""
  ) throws(RPCError) {
    guard medium > 0, medium < 1 else {
      throw .invalidArgument(
        field: "configuration.label_medium",
        "it is \(medium), expected a number above 0 and below 1")
    }
    guard high > medium, high <= 1 else {
      throw .invalidArgument(
        field: "configuration.label_high",
        "it is \(high), expected a number above label_medium (\(medium)) and at most 1")
    }
    var numbers: Set<String> = []
    for (index, number) in suspectedNumbers.enumerated() {
      guard number.first == "+", case .phone(let digits)? = SenderAddress(number) else {
        throw .invalidArgument(
          field: "configuration.suspected_numbers[\(index)]",
          "expected a telephone number in E.164: a plus and its digits")
      }
      numbers.insert(digits)
    }
    guard !bundle.contains("/"), !bundle.hasPrefix(".") else {
      throw .invalidArgument(
        field: "configuration.bundle",
        "expected the name of a folder in the plugin's folder, without '/'")
    }
    self.init(
      checked: Bands(medium: medium, high: high), suspectedNumbers: numbers, bundle: bundle)
  }

  private init(checked bands: Bands, suspectedNumbers: Set<String>, bundle: String) {
    self.bands = bands
    self.suspectedNumbers = suspectedNumbers
    self.bundle = bundle
  }
}
