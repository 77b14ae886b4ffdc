/// The names that protoc-c gives to what it generates, so that the Swift side can call it.
public enum CNames {
  /// The C struct of a message: `kith.risk.v1.AnalyzeRequest` becomes
  /// `Kith__Risk__V1__AnalyzeRequest`.
  public static func type(_ fullName: String) -> String {
    fullName.split(separator: ".").map(camel).joined(separator: "__")
  }

  /// What the functions of a message begin with: `kith__risk__v1__analyze_request`.
  public static func functions(_ fullName: String) -> String {
    fullName.split(separator: ".").map(lower).joined(separator: "__")
  }

  /// The member of a C struct for a field.
  ///
  /// The contracts are renamed to this before protoc-c sees them: it would take `base` for its own
  /// member, and lets a field `has_x` collide with the presence flag of a field `x`. `init` and
  /// `self` of a C struct are out of reach in Swift.
  public static func field(_ name: String) -> String {
    let name = name.lowercased()
    let collides =
      name == "base" || name.hasPrefix("has_") || name.hasPrefix("n_") || name.hasSuffix("_case")
      || name == "init" || name == "self" || keywords.contains(name)
    return collides ? "field_" + name : name
  }

  private static func camel(_ piece: Substring) -> String {
    piece.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  private static func lower(_ piece: Substring) -> String {
    var result = ""
    var wasUpper = true
    for character in piece {
      let isUpper = character.isUppercase
      if isUpper && !wasUpper { result += "_" }
      result += character.lowercased()
      wasUpper = isUpper
    }
    return result
  }

  /// The words of C and C++, which protoc-c renames in a way of its own.
  private static let keywords: Set<String> = [
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break",
    "case", "catch", "char", "class", "compl", "const", "const_cast", "constexpr", "continue",
    "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum", "explicit",
    "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int", "long",
    "mutable", "namespace", "new", "noexcept", "not", "not_eq", "null", "nullptr", "operator", "or",
    "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "restrict", "return",
    "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch",
    "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename",
    "typeof", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while",
    "xor", "xor_eq",
  ]
}
