/// The C constant that holds the descriptor of one proto file, for reflection.
public enum DescriptorFile {
  /// The name of the constant: `kith/risk/v1/risk.proto` becomes `kith_risk_v1_risk_descriptor`.
  public static func constant(_ path: String) -> String {
    let stem = path.hasSuffix(".proto") ? String(path.dropLast(".proto".count)) : path
    return stem.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined() + "_descriptor"
  }
}
