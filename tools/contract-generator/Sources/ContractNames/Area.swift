/// Which contract target a proto package belongs to.
public enum Area {
  /// The folder under `Sources/KithContracts`: `kith.risk.v1` belongs to `Risk`, in target `RiskContract`.
  ///
  /// Nil for a package without a second component: `kith` itself, which only declares options.
  public static func name(ofPackage package: String) -> String? {
    if package == "google.protobuf" { return "Descriptor" }
    let components = package.split(separator: ".")
    guard components.count >= 2 else { return nil }
    let component = String(components[1])
    return abbreviations[component]
      ?? component.split(separator: "_")
      .map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// Components that are abbreviations, written in capitals.
  private static let abbreviations = ["rpc": "RPC", "ocr": "OCR", "pii": "PII"]
}
