import FoundationEssentials
import KithRPC
import RiskContract
import RiskEngineDomain
import RiskEngineService

/// The engine that ships, loaded once.
enum Fixtures {
  /// The folder of the plugin's resources, found from this file.
  static let resources: String = {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return parts.dropLast(3).joined(separator: "/") + "/Plugins/RiskEngine/Resources"
  }()

  static let bundle = Result { () throws(ResourceError) in
    try ResourceBundle(folder: resources)
  }

  /// A call, for services that are asked directly.
  static let context = CallContext(method: RiskEngineMethods.analyze)

  static func engine() throws -> RiskEngine { try bundle.get().engine }

  /// Texts of many shapes, for properties that hold for all.
  static let shapes: [String] = [
    "IRS: a warrant is out for your arrest. Pay $900 in gift cards today",
    "Your code is 123456. Don't share it",
    "\u{FF27}\u{FF29}\u{FF26}\u{FF34} \u{1D5F0}\u{1D5EE}\u{1D5FF}\u{1D5F1} now",
    "gift\u{200B}card", "p\u{0430}ypal.com/login", "e\u{301}t\u{E9} \u{FB01}n", "\u{202E}moc.evil",
    "\u{1F600}\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "a", "\u{0}\u{0}x\u{0}",
    "\u{4F60}\u{597D} 12345 \u{627}\u{644}", "https://bit.ly/abc \u{3010}www.example.com\u{3011}",
    String(repeating: "a b c d ", count: 40), "  \n\t padded \r\n text  ",
  ]
}

/// SplitMix64, so that a failure repeats.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
