/// Whether a caller and the service that it calls mean the same: each was built with a contract of
/// its own.
///
/// The caller's view is what counts: what it does not know cannot disturb it, so that a service may
/// grow. All that its methods reach is compared, each pair of types once. Names of messages and
/// enums may differ; neither the wire nor JSON has them.
public struct ContractComparison: Sendable {
  private let caller: ContractSet
  private let callee: ContractSet
  private var breaks: [ContractBreak] = []
  private var seen: Set<[String]> = []

  /// What broke between a caller's view of a service and the service's own; empty when they fit.
  public static func breaks(
    of service: String, caller: ContractSet, callee: ContractSet
  ) -> [ContractBreak] {
    var comparison = ContractComparison(caller: caller, callee: callee)
    comparison.compare(service)
    return comparison.breaks
  }

  private init(caller: ContractSet, callee: ContractSet) {
    self.caller = caller
    self.callee = callee
  }

  private mutating func note(
    _ rule: ContractBreak.Rule, _ place: String, _ file: String, _ reason: String
  ) {
    breaks.append(ContractBreak(rule: rule, place: place, file: file, reason: reason))
  }

  // MARK: Services

  private mutating func compare(_ name: String) {
    guard let wanted = caller.service(named: name) else { return }
    guard let served = callee.service(named: name) else {
      return note(.serviceNoDelete, name, wanted.file, "is not served")
    }
    for method in wanted.methods {
      guard let other = served.method(named: method.name) else {
        note(.methodNoDelete, method.fullName, wanted.file, "is not served")
        continue
      }
      compare(method, other, file: served.file)
    }
  }

  private mutating func compare(
    _ wanted: MethodDescription, _ served: MethodDescription, file: String
  ) {
    if wanted.isClientStreaming != served.isClientStreaming {
      note(
        .methodSameClientStreaming, wanted.fullName, file,
        wanted.isClientStreaming
          ? "takes one request, and the caller streams them"
          : "takes a stream of requests, and the caller sends one")
    }
    if wanted.isServerStreaming != served.isServerStreaming {
      note(
        .methodSameServerStreaming, wanted.fullName, file,
        wanted.isServerStreaming
          ? "gives one answer, and the caller awaits a stream"
          : "streams its answers, and the caller awaits one")
    }
    if served.idempotency.promise < wanted.idempotency.promise {
      note(
        .methodIdempotencyLevel, wanted.fullName, file,
        "is \(served.idempotency.words), and the caller takes it to be \(wanted.idempotency.words)")
    }
    compareMessages(wanted.requestType, served.requestType)
    compareMessages(wanted.responseType, served.responseType)
  }

  // MARK: Messages

  private mutating func compareMessages(_ wanted: String, _ served: String) {
    guard seen.insert([wanted, served]).inserted, let old = caller.message(named: wanted),
      let new = callee.message(named: served)
    else { return }
    for field in old.fields { compare(field, of: old, with: new) }
    for field in new.fields
    where field.isRequired && old.field(number: field.number)?.isRequired != true {
      note(
        .fieldSameRequired, "\(new.fullName).\(field.name)", new.file,
        "is required, and the caller may leave it out")
    }
  }

  private mutating func compare(
    _ field: FieldDescription, of old: MessageTypeDescription, with new: MessageTypeDescription
  ) {
    let place = "\(old.fullName).\(field.name)"
    guard let other = new.field(number: field.number) else {
      if let renumbered = new.fields.first(where: { $0.name == field.name }) {
        note(
          .fieldSameNumber, place, new.file,
          "has the number \(renumbered.number), and \(field.number) for the caller")
      } else if !new.isReserved(field) {
        note(
          .fieldNoDelete, place, new.file,
          "is not there, and the caller has it under the number \(field.number)")
      } else if field.isRequired {
        note(.fieldSameRequired, place, new.file, "is not there, and the caller requires it")
      }
      return
    }
    if field.name != other.name {
      note(
        .fieldSameName, place, new.file,
        "is called \(other.name) under its number \(field.number)")
    } else if field.jsonName != other.jsonName {
      note(
        .fieldSameJSONName, place, new.file,
        "is called \(other.jsonName) in JSON, and \(field.jsonName) for the caller")
    }
    if field.isRequired, !other.isRequired {
      note(
        .fieldSameRequired, place, new.file, "may be left out, and the caller requires it")
    }
    if field.oneof != other.oneof {
      note(
        .fieldSameOneof, place, new.file,
        "is \(Self.choice(other.oneof)), and for the caller \(Self.choice(field.oneof))")
    }
    guard compareCardinality(field, other, place: place, file: new.file) else { return }
    compareTypes(field.type, other.type, place: place, file: new.file)
  }

  private static func choice(_ oneof: String?) -> String {
    oneof.map { "one of '\($0)'" } ?? "a field by itself"
  }

  private mutating func compareCardinality(
    _ field: FieldDescription, _ other: FieldDescription, place: String, file: String
  ) -> Bool {
    switch (field.cardinality, other.cardinality) {
    case (.map(let key), .map(let otherKey)):
      compareTypes(key, otherKey, place: "\(place) (the key)", file: file)
      return true
    // How a list is packed, and whether absence shows, changes nothing for who reads it.
    case (.repeated, .repeated), (.implicit, .implicit), (.implicit, .explicit),
      (.explicit, .implicit), (.explicit, .explicit):
      return true
    default:
      note(
        .fieldCompatibleCardinality, place, file,
        "is \(other.shape), and \(field.shape) for the caller")
      return false
    }
  }

  private mutating func compareTypes(
    _ type: FieldType, _ other: FieldType, place: String, file: String
  ) {
    switch (type, other) {
    case (.message(let old), .message(let new)): compareMessages(old, new)
    case (.enumeration(let old), .enumeration(let new)): compareEnums(old, new)
    default:
      guard type.kin != other.kin else { return }
      note(
        .fieldCompatibleType, place, file, "is a \(other.name), and a \(type.name) for the caller")
    }
  }

  // MARK: Enums

  private mutating func compareEnums(_ wanted: String, _ served: String) {
    guard seen.insert([wanted, served]).inserted, let old = caller.enumeration(named: wanted),
      let new = callee.enumeration(named: served)
    else { return }
    for value in old.values {
      let place = "\(old.fullName).\(value.name)"
      // A number may have several names.
      let names = new.values.filter { $0.number == value.number }.map(\.name)
      if names.isEmpty {
        guard !new.isReserved(value) else { continue }
        note(
          .enumValueNoDelete, place, new.file,
          "is not there, and the caller has it under the number \(value.number)")
      } else if !names.contains(value.name) {
        note(
          .enumValueSameName, place, new.file,
          "is called \(names[0]) under its number \(value.number)")
      }
    }
  }
}

extension MethodDescription.Idempotency {
  /// How much is promised: the more, the more a caller may do.
  fileprivate var promise: Int {
    switch self {
    case .unknown: 0
    case .idempotent: 1
    case .noSideEffects: 2
    }
  }

  fileprivate var words: String {
    switch self {
    case .unknown: "not to be repeated"
    case .idempotent: "idempotent"
    case .noSideEffects: "without side effects"
    }
  }
}

extension FieldDescription {
  /// What it holds, in words.
  fileprivate var shape: String {
    switch cardinality {
    case .implicit, .explicit: "one value"
    case .repeated: "a list"
    case .map: "a map"
    }
  }
}

extension FieldType {
  /// Types with the same kin have the same values on the wire and in JSON, as far as both can hold
  /// them.
  fileprivate var kin: FieldType {
    switch self {
    case .uint32: .int32
    case .uint64: .int64
    case .sfixed32: .fixed32
    case .sfixed64: .fixed64
    // Those of one shape are compared by what they hold.
    case .message: .message("")
    case .enumeration: .enumeration("")
    default: self
    }
  }
}
