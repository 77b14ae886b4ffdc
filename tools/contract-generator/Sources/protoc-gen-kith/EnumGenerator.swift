import SwiftProtobufPluginLibrary

/// An enumeration: a struct around a number, with a constant for each value that has a name.
struct EnumGenerator {
  private let enumeration: EnumDescriptor

  init(_ enumeration: EnumDescriptor) { self.enumeration = enumeration }

  /// The values but for second names of the same number.
  private var values: [EnumValueDescriptor] {
    var seen: Set<Int32> = []
    return enumeration.values.filter { seen.insert($0.number).inserted }
  }

  func generate(into text: inout CodePrinter) {
    let type = SwiftNames.type(enumeration.name)
    text.printComment(enumeration, or: "The enumeration `\(enumeration.fullName)`.")
    text.printBlock("public struct \(type): WireEnum") { text in
      for value in enumeration.values {
        text.printComment(value, or: "`\(value.name)`")
        let name = SwiftNames.declaredValue(value.name, of: enumeration.name)
        text.print("public static let \(name) = \(type)(rawValue: \(value.number))")
      }
      text.print()
      text.print("/// The values that have a name.")
      let names = values.map { "." + SwiftNames.value($0.name, of: enumeration.name) }
      text.print("public static let allCases: [\(type)] = [\(names.joined(separator: ", "))]")
      text.print()
      text.print("/// The number on the wire.")
      text.print("public let rawValue: Int32")
      text.print()
      text.print("/// The value with this number, whether it has a name or not.")
      text.print("public init(rawValue: Int32) { self.rawValue = rawValue }")
      text.print()
      text.print("public static var fullName: String { \"\(enumeration.fullName)\" }")
      text.print()
      text.print("/// The name in the contract; nil for a number without one.")
      text.printBlock("public var name: String?") { text in
        text.print("switch rawValue {")
        for value in values { text.print("case \(value.number): \"\(value.name)\"") }
        text.print("default: nil")
        text.print("}")
      }
    }
  }
}
