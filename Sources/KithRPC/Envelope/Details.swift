extension FieldViolation {
  var detail: StatusDetail { StatusDetail(type: Self.typeName, value: []) }
  init?(detail: StatusDetail) { nil }
}
extension CallExecution {
  init(details: [StatusDetail]) { self = .unspecified }
}
