import ContractNames
import SwiftProtobuf
import SwiftProtobufPluginLibrary

/// One field of a message: its property, and the lines that carry it from and to the C struct.
struct FieldGenerator {
  let field: FieldDescriptor

  init(_ field: FieldDescriptor) { self.field = field }

  /// The name of the property where it is used: always behind a dot.
  var name: String { SwiftNames.property(field.name) }

  var declaredName: String { SwiftNames.declared(field.name) }

  /// The type of one value.
  var valueType: String {
    switch field.type {
    case .double: "Double"
    case .float: "Float"
    case .int64, .sfixed64, .sint64: "Int64"
    case .uint64, .fixed64: "UInt64"
    case .int32, .sfixed32, .sint32: "Int32"
    case .uint32, .fixed32: "UInt32"
    case .bool: "Bool"
    case .string: "String"
    case .bytes: "[UInt8]"
    case .enum: SwiftNames.type(field.enumType)
    case .message, .group: SwiftNames.type(field.messageType)
    }
  }

  /// The type of the property.
  var type: String {
    if let (key, value) = map { return "[\(key.valueType): \(value.valueType)]" }
    if field.isRepeated { return "[\(valueType)]" }
    return isOptional ? "\(valueType)?" : valueType
  }

  /// What the property holds at first.
  var defaultValue: String {
    if map != nil { return "[:]" }
    if field.isRepeated { return "[]" }
    if isOptional { return "nil" }
    switch field.type {
    case .bool: return "false"
    case .string: return "\"\""
    case .bytes: return "[]"
    case .enum:
      let first: EnumDescriptor = field.enumType
      return "." + SwiftNames.value(first.values[0].name, of: first.name)
    case .message, .group: return "\(valueType)()"
    default: return "0"
    }
  }

  /// Whether the property is an Optional: an absent field differs from one that holds the default.
  var isOptional: Bool {
    !field.isRepeated && !field.isRequired && field.hasPresence
  }

  /// The key and the value of a map.
  var map: (key: FieldGenerator, value: FieldGenerator)? {
    guard field.isMap, let (key, value) = field.messageType.mapKeyAndValue else { return nil }
    return (FieldGenerator(key), FieldGenerator(value))
  }

  // MARK: - The C side

  /// The member of the C struct.
  var cName: String { CNames.field(field.name) }

  /// The field in errors: a map's key and value are called by the map's name.
  private func label(_ owner: FieldDescriptor) -> String {
    "\"\(owner.containingType.fullName).\(owner.name)\""
  }

  /// An expression for the value that the C struct `c` points to holds.
  func read(_ c: String, for owner: FieldDescriptor) -> String {
    let member = "\(c).pointee.\(cName)"
    switch field.type {
    case .bool: return "\(member) != 0"
    case .string: return "try Unpacked.text(\(member), \(label(owner)))"
    case .bytes: return "Unpacked.bytes(\(member))"
    case .enum: return "\(valueType)(rawValue: \(member))"
    default: return member
    }
  }

  /// A statement that gives `value` to the C struct that `c` points to.
  func write(_ value: String, to c: String) -> String {
    let member = "\(c).pointee.\(cName)"
    switch field.type {
    case .bool: return "\(member) = \(value) ? 1 : 0"
    case .string, .bytes: return "\(member) = arena.copy(\(value))"
    case .enum: return "\(member) = \(value).rawValue"
    default: return "\(member) = \(value)"
    }
  }

  /// A condition under which a field without presence is written.
  private var isSet: String {
    switch field.type {
    case .bool: "self.\(name)"
    case .string, .bytes: "!self.\(name).isEmpty"
    case .enum: "self.\(name).rawValue != 0"
    case .double, .float: "self.\(name).bitPattern != 0"
    default: "self.\(name) != 0"
    }
  }

  // MARK: - Lines

  /// Prints how the field is merged from the C struct.
  func printMerge(into text: inout CodePrinter) {
    if let (key, value) = map {
      text.printBlock("for index in 0..<c.pointee.n_\(cName)") { text in
        text.print("guard let entry = c.pointee.\(cName)[index] else { continue }")
        if value.field.type == .message {
          let list = "entry.pointee.\(value.cName), entry.pointee.n_\(value.cName)"
          text.print("var value: \(value.valueType)?")
          text.print("try Unpacked.merge(\(list), into: &value)")
          text.print(
            "self.\(name)[\(key.read("entry", for: field))] = value ?? \(value.valueType)()")
        } else {
          text.print(
            "self.\(name)[\(key.read("entry", for: field))] = \(value.read("entry", for: field))")
        }
      }
      return
    }
    let list = "c.pointee.\(cName), c.pointee.n_\(cName)"
    if field.isRepeated {
      switch field.type {
      case .message: text.print("try Unpacked.append(\(list), to: &self.\(name))")
      case .string:
        text.print("try Unpacked.append(\(list), to: &self.\(name), \(label(field)))")
      default: text.print("Unpacked.append(\(list), to: &self.\(name))")
      }
    } else if field.type == .message {
      text.print("try Unpacked.merge(\(list), into: &self.\(name))")
    } else if field.isRequired {
      text.print("self.\(name) = \(read("c", for: field))")
    } else {
      text.print(
        "if c.pointee.has_\(cName) != 0 { self.\(name) = \(read("c", for: field)) }")
    }
  }

  /// Prints how the C struct is filled from the field.
  func printFill(into text: inout CodePrinter) {
    if let (key, value) = map {
      printFill(ofMapWith: key, value, into: &text)
      return
    }
    let list = "(c.pointee.\(cName), c.pointee.n_\(cName))"
    if field.type == .message {
      text.print("\(list) = try arena.fill(self.\(name))")
    } else if field.isRepeated {
      text.print("\(list) = arena.copy(self.\(name))")
    } else if field.isRequired {
      text.print(write("self.\(name)", to: "c"))
    } else {
      text.printBlock(isOptional ? "if let value = self.\(name)" : "if \(isSet)") { text in
        text.print(write(isOptional ? "value" : "self.\(name)", to: "c"))
        text.print("c.pointee.has_\(cName) = 1")
      }
    }
  }

  private func printFill(
    ofMapWith key: FieldGenerator, _ value: FieldGenerator, into text: inout CodePrinter
  ) {
    let entry = CNames.type(field.messageType.fullName)
    let order = key.field.type == .bool ? "!$0.key && $1.key" : "$0.key < $1.key"
    text.printBlock("if !self.\(name).isEmpty") { text in
      text.print(
        "let entries = arena.array(of: UnsafeMutablePointer<\(entry)>?.self, count: self.\(name).count)"
      )
      text.printBlock(
        "for (index, pair) in self.\(name).sorted(by: { \(order) }).enumerated()"
      ) { text in
        text.print("let entry = arena.array(of: \(entry).self, count: 1)")
        text.print("\(CNames.functions(field.messageType.fullName))__init(entry)")
        text.print(key.write("pair.key", to: "entry"))
        text.print("entry.pointee.has_\(key.cName) = 1")
        if value.field.type == .message {
          text.print(
            "(entry.pointee.\(value.cName), entry.pointee.n_\(value.cName)) = try arena.fill([pair.value])"
          )
        } else {
          text.print(value.write("pair.value", to: "entry"))
          text.print("entry.pointee.has_\(value.cName) = 1")
        }
        text.print("(entries + index).initialize(to: entry)")
      }
      text.print("(c.pointee.\(cName), c.pointee.n_\(cName)) = (entries, self.\(name).count)")
    }
  }

  /// Prints how the field shows in a description.
  func printDescribe(into text: inout CodePrinter) {
    let condition =
      if isOptional { "if let value = self.\(name)" } else if field.isRepeated {
        "if !self.\(name).isEmpty"
      } else if field.isRequired { "do" } else { "if \(isSet)" }
    let value = isOptional ? "value" : "self.\(name)"
    if field.isSensitive {
      let condition = isOptional ? "if self.\(name) != nil" : condition
      text.print("\(condition) { text.addSensitive(\"\(name)\") }")
    } else {
      text.print("\(condition) { text.add(\"\(name)\", \(value)) }")
    }
  }
}
