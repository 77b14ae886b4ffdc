/// Which modules the code of a proto package belongs to.
///
/// `kith.risk.v1` has the area `Risk`, the Swift module `RiskContract` and the C module
/// `RiskContractC`. A package's own names can be chosen with options of the form `PACKAGE:MODULE`.
public struct ContractModules: Sendable {
  /// The module that was chosen for a package.
  private var chosen: [String: String] = [:]

  /// The names, with those of `options`, each `PACKAGE:MODULE`.
  /// - Throws: ``ContractModulesError`` for an option that is not of this form.
  public init(options: [String] = []) throws(ContractModulesError) {
    for option in options {
      let parts = option.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty, Self.isIdentifier(parts[1]) else {
        throw ContractModulesError(
          "'\(option)' is not of the form PACKAGE:MODULE, such as acme.pills.v1:PillsContract")
      }
      chosen[parts[0]] = parts[1]
    }
  }

  /// The folder of a package's code and the prefix of its `DescriptorSet`: the package's last
  /// component that is no version.
  public func area(ofPackage package: String) -> String {
    if let module = chosen[package] {
      return module.hasSuffix(Self.suffix) && module != Self.suffix
        ? String(module.dropLast(Self.suffix.count)) : module
    }
    if let area = Self.areas[package] { return area }
    let components = package.split(separator: ".").map(String.init)
    let component = components.last { !Self.isVersion($0) } ?? package
    return Self.abbreviations[component]
      ?? component.split(separator: "_")
      .map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// The module of a package's Swift code.
  public func swiftModule(ofPackage package: String) -> String {
    chosen[package] ?? area(ofPackage: package) + Self.suffix
  }

  /// The module of a package's C code.
  public func cModule(ofPackage package: String) -> String {
    swiftModule(ofPackage: package) + "C"
  }

  /// The C module that has the descriptor of a file.
  ///
  /// `google/protobuf/descriptor.proto` is imported by every contract through `kith/options.proto`;
  /// its descriptor lies beside that one, so that no contract has to link the C code of its
  /// messages.
  public func descriptorModule(ofPackage package: String) -> String {
    package == "google.protobuf" ? Self.optionsModule : cModule(ofPackage: package)
  }

  /// The C module with the descriptors that every contract imports. It has no Swift side.
  public static let optionsModule = "OptionsContractC"

  private static let suffix = "Contract"
  private static let areas = ["google.protobuf": "Descriptor", "kith": "Options"]

  /// Components that are abbreviations, written in capitals.
  private static let abbreviations = ["rpc": "RPC", "ocr": "OCR", "pii": "PII"]

  /// Whether a component is a version, such as `v1` or `v2beta1`.
  private static func isVersion(_ component: String) -> Bool {
    component.first == "v" && component.dropFirst().first?.isNumber == true
  }

  private static func isIdentifier(_ text: String) -> Bool {
    guard let first = text.first, first.isASCII, first.isLetter else { return false }
    return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
  }
}

/// A choice of module names that cannot be read.
public struct ContractModulesError: Error, CustomStringConvertible {
  /// What was wrong and what was expected.
  public let description: String
  init(_ description: String) { self.description = description }
}
