import ContractNames
import SwiftProtobuf
import SwiftProtobufPluginLibrary

/// A message: a struct with a property for each field, and the way from and to its C struct.
struct MessageGenerator {
  /// A field outside a oneof, or a oneof: what a message has a property for.
  private enum Member {
    case field(FieldGenerator)
    case oneof(OneofGenerator)

    var argument: String {
      switch self {
      case .field(let field): "\(field.declaredName): \(field.type) = \(field.defaultValue)"
      case .oneof(let oneof): "\(oneof.declaredName): \(oneof.type)? = nil"
      }
    }

    var name: String {
      switch self {
      case .field(let field): field.declaredName
      case .oneof(let oneof): oneof.declaredName
      }
    }
  }

  private let message: Descriptor
  private let members: [Member]

  init(_ message: Descriptor) {
    self.message = message
    var members: [Member] = []
    for field in message.fields {
      if let oneof = field.realContainingOneof {
        if oneof.fields.first === field { members.append(.oneof(OneofGenerator(oneof))) }
      } else {
        members.append(.field(FieldGenerator(field)))
      }
    }
    self.members = members
  }

  func generate(into text: inout CodePrinter) {
    text.printComment(message, or: "The message `\(message.fullName)`.")
    text.printBlock("public struct \(SwiftNames.type(message.name)): GeneratedMessage") { text in
      printProperties(into: &text)
      printInitializers(into: &text)
      printNestedTypes(into: &text)
      printCodec(into: &text)
    }
  }

  private func printProperties(into text: inout CodePrinter) {
    for member in members {
      switch member {
      case .field(let field):
        text.printComment(field.field, or: "The field `\(field.field.name)`.")
        let wrapper = MessageShape.isIndirect(field.field) ? "@Indirect " : ""
        text.print(
          "\(wrapper)public var \(field.declaredName): \(field.type) = \(field.defaultValue)")
      case .oneof(let oneof):
        text.printComment(oneof.oneof, or: "One of the fields of `\(oneof.oneof.name)`.")
        text.print("public var \(oneof.declaredName): \(oneof.type)? = nil")
      }
      text.print()
    }
    text.print("/// The fields that this version of the contract does not know.")
    text.print("public var unknownFields = UnknownFields()")
    text.print()
  }

  private func printInitializers(into text: inout CodePrinter) {
    text.print("/// A message with every field at its default.")
    text.print("public init() {}")
    text.print()
    guard !members.isEmpty else { return }
    text.print("/// A message with these fields; the others are at their default.")
    text.print("public init(")
    text.withIndentation { text in
      for (index, member) in members.enumerated() {
        text.print(member.argument + (index + 1 < members.count ? "," : ""))
      }
    }
    text.print(") {")
    text.withIndentation { text in
      for member in members { text.print("self.\(member.name) = \(member.name)") }
    }
    text.print("}")
    text.print()
  }

  private func printNestedTypes(into text: inout CodePrinter) {
    for case .oneof(let oneof) in members {
      oneof.printEnum(into: &text)
      text.print()
    }
    for enumeration in message.enums {
      EnumGenerator(enumeration).generate(into: &text)
      text.print()
    }
    for nested in message.messages where !nested.options.mapEntry {
      MessageGenerator(nested).generate(into: &text)
      text.print()
    }
  }

  private func printCodec(into text: inout CodePrinter) {
    let cType = CNames.type(message.fullName)
    let functions = CNames.functions(message.fullName)
    let depth = MessageShape.depth(of: message).map(String.init) ?? "nil"

    text.print("public static var fullName: String { \"\(message.fullName)\" }")
    text.print()
    text.print("public static let layout = WireLayout(depth: \(depth), \(functions)__init)")
    text.print()
    text.printBlock(
      "public mutating func merge(unpacked message: UnsafeRawPointer) throws(WireError)"
    ) { text in
      if !members.isEmpty {
        text.print("let c = message.assumingMemoryBound(to: \(cType).self)")
      }
      for member in members {
        switch member {
        case .field(let field): field.printMerge(into: &text)
        case .oneof(let oneof): oneof.printMerge(into: &text)
        }
      }
      text.print("try Unpacked.append(unknownFieldsOf: message, to: &self.unknownFields)")
    }
    text.print()
    text.printBlock(
      "public func fill(_ message: UnsafeMutableRawPointer, in arena: borrowing WireArena) throws(WireError)"
    ) { text in
      text.print("let c = message.assumingMemoryBound(to: \(cType).self)")
      text.print("\(functions)__init(c)")
      for member in members {
        switch member {
        case .field(let field): field.printFill(into: &text)
        case .oneof(let oneof): oneof.printFill(into: &text)
        }
      }
      text.print("arena.fill(self.unknownFields, into: message)")
    }
    text.print()
    text.printBlock("public func describe(into text: inout MessageDescription)") { text in
      for member in members {
        switch member {
        case .field(let field): field.printDescribe(into: &text)
        case .oneof(let oneof): oneof.printDescribe(into: &text)
        }
      }
      text.print("text.add(self.unknownFields)")
    }
  }
}
