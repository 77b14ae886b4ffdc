import KithRPC
import KithTelemetry
import Testing

struct RedactingInterceptorTests {
  @Test func anErrorLosesWhatIsPersonalAndNothingElse() {
    let error = RPCError.invalidArgument(
      field: "contact.phone", "it is (415) 555-0182, expected E.164 as in +14155550182")
    let redacted = error.withoutPersonalData
    #expect(
      redacted.message
        == "contact.phone: it is [REDACTED_PHONE], expected E.164 as in [REDACTED_PHONE]")
    #expect(
      redacted.fieldViolations == [
        FieldViolation(
          field: "contact.phone",
          description: "it is [REDACTED_PHONE], expected E.164 as in [REDACTED_PHONE]")
      ])
    #expect(redacted.code == .invalidArgument)
  }

  @Test(arguments: [
    "it has 70000 bytes, at most 65536 are taken", "the limit is 4194304; it waited 4155550182 ns",
    "127.0.0.1:9464 refused the connection", "trace 4bf92f3577b34da6a3ce929d0e0e4736 of pid 41555",
    "kith.risk.v1.AnalyzeRequest.text has the number 99", "generation 1747924800123 is over",
  ])
  func anErrorWithoutPersonalDataStaysAsItIs(message: String) {
    let error = RPCError.invalidArgument(field: "text", message)
    #expect(error.withoutPersonalData == error)
  }
}
