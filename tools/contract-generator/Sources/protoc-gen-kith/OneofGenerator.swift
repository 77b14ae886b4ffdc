import ContractNames
import SwiftProtobuf
import SwiftProtobufPluginLibrary

/// A oneof: an enumeration with a case for each of its fields, and an optional property.
struct OneofGenerator {
  let oneof: OneofDescriptor
  let fields: [FieldGenerator]

  init(_ oneof: OneofDescriptor) {
    self.oneof = oneof
    fields = oneof.fields.map(FieldGenerator.init)
  }

  var name: String { SwiftNames.property(oneof.name) }
  var declaredName: String { SwiftNames.declared(oneof.name) }
  var type: String { SwiftNames.type(oneof) }
  private var cCase: String { "c.pointee.\(oneof.name.lowercased())_case" }

  func printEnum(into text: inout CodePrinter) {
    text.printComment(oneof, or: "One of the fields of `\(oneof.name)`.")
    text.printBlock("public enum \(type): Sendable, Equatable") { text in
      for field in fields {
        text.printComment(field.field, or: "The field `\(field.field.name)`.")
        let indirect = MessageShape.isIndirect(field.field) ? "indirect " : ""
        text.print("\(indirect)case \(field.declaredName)(\(field.valueType))")
      }
    }
  }

  func printMerge(into text: inout CodePrinter) {
    text.print("switch \(cCase).rawValue {")
    for field in fields {
      text.print("case \(field.field.number):")
      text.withIndentation { text in
        if field.field.type == .message {
          text.print("var value = \(field.valueType)()")
          text.print("if case .\(field.name)(let earlier)? = self.\(name) { value = earlier }")
          text.print("try value.merge(unpacked: c.pointee.\(field.cName))")
          text.print("self.\(name) = .\(field.name)(value)")
        } else {
          text.print("self.\(name) = .\(field.name)(\(field.read("c", for: field.field)))")
        }
      }
    }
    text.print("default: break")
    text.print("}")
  }

  func printFill(into text: inout CodePrinter) {
    text.print("switch self.\(name) {")
    for field in fields {
      text.print("case .\(field.name)(let value)?:")
      text.withIndentation { text in
        if field.field.type == .message {
          text.print("c.pointee.\(field.cName) = try arena.fill(one: value)")
        } else {
          text.print(field.write("value", to: "c"))
        }
        text.print("\(cCase) = .init(rawValue: \(field.field.number))")
      }
    }
    text.print("case nil: break")
    text.print("}")
  }

  func printDescribe(into text: inout CodePrinter) {
    text.print("switch self.\(name) {")
    for field in fields {
      if field.field.isSensitive {
        text.print("case .\(field.name)?: text.addSensitive(\"\(field.name)\")")
      } else {
        text.print("case .\(field.name)(let value)?: text.add(\"\(field.name)\", value)")
      }
    }
    text.print("case nil: break")
    text.print("}")
  }
}
