/// Something that one side of a call was built with and the other side does not have like that.
public struct ContractBreak: Sendable, Hashable, CustomStringConvertible {
  /// The rules that can be broken: those of WIRE and WIRE_JSON of `buf breaking`, by their names
  /// there, and two of ours.
  public enum Rule: String, Sendable, Hashable, CaseIterable {
    /// The service is not there at all.
    case serviceNoDelete = "SERVICE_NO_DELETE"
    /// A method is not there.
    case methodNoDelete = "RPC_NO_DELETE"
    /// The caller streams its requests and the other side takes one, or the other way round.
    case methodSameClientStreaming = "RPC_SAME_CLIENT_STREAMING"
    /// The other side streams its answers and the caller takes one, or the other way round.
    case methodSameServerStreaming = "RPC_SAME_SERVER_STREAMING"
    /// The caller repeats calls that must not be repeated any more.
    case methodIdempotencyLevel = "RPC_SAME_IDEMPOTENCY_LEVEL"
    /// A field is not there, and its number and name are not reserved.
    case fieldNoDelete = "FIELD_NO_DELETE"
    /// A field of this name has another number.
    case fieldSameNumber = "FIELD_SAME_NUMBER"
    /// A field of this number has another name.
    case fieldSameName = "FIELD_SAME_NAME"
    /// A field of this number and name has another name in JSON.
    case fieldSameJSONName = "FIELD_SAME_JSON_NAME"
    /// A field has a type whose values lie otherwise on the wire or in JSON.
    case fieldCompatibleType = "FIELD_WIRE_JSON_COMPATIBLE_TYPE"
    /// A field has one value here and many there.
    case fieldCompatibleCardinality = "FIELD_WIRE_JSON_COMPATIBLE_CARDINALITY"
    /// A field belongs to a choice here and not there, or to another.
    case fieldSameOneof = "FIELD_SAME_ONEOF"
    /// One side cannot do without a field that the other may leave out.
    case fieldSameRequired = "MESSAGE_SAME_REQUIRED_FIELDS"
    /// A value of an enum is not there, and its number and name are not reserved.
    case enumValueNoDelete = "ENUM_VALUE_NO_DELETE"
    /// A value of an enum has another name.
    case enumValueSameName = "ENUM_VALUE_SAME_NAME"
  }

  /// The rule.
  public var rule: Rule
  /// What broke: `kith.risk.v1.RiskEngine/Analyze`, `kith.risk.v1.AnalyzeRequest.text`.
  public var place: String
  /// The proto file that declares it, where that is known.
  public var file: String
  /// What the two sides have: `the caller has string, the other bytes`.
  public var reason: String

  /// `kith.risk.v1.AnalyzeRequest.text (kith/risk/v1/risk.proto): is a string for the caller and bytes for the other`
  public var description: String {
    "\(place)\(file.isEmpty ? "" : " (\(file))") \(reason)"
  }
}
