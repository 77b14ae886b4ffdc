import KithManifest
import Testing

@Suite struct NearestNameTests {
  @Test(arguments: [
    ("exectuable", "executable"), ("label-high", "label_high"), ("risk", "risk"),
    ("riskengine", "risk-engine"), ("Provides", "provides"), ("zzz", nil), ("", nil),
    (String(repeating: "x", count: 1_000_000), nil),
  ])
  func findsWhatWasMeant(wrong: String, right: String?) {
    let names = ["executable", "label_high", "risk", "risk-engine", "provides", "requires"]
    #expect(nearestName(to: wrong, among: names) == right)
  }
}
