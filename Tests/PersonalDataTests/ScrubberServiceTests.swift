import KithPersonalData
import KithRPC
import KithTransportInProcess
import PIIContract
import Testing

@testable import PersonalDataService

struct ScrubberServiceTests {
  private let service = ScrubberService()

  @Test func answersAsTheContractSays() throws {
    let text = "é Call (415) 555-0182 or 415-555-0199, or write to jo@example.org"
    let answer = try service.answer(ScrubRequest(text: text, purpose: .transmission))
    #expect(
      answer.text == "é Call [REDACTED_PHONE] or [REDACTED_PHONE], or write to [REDACTED_EMAIL]")
    #expect(!answer.hardBlock && answer.blockingTypes.isEmpty)
    #expect(
      answer.counts == [
        TypeCount(type: .emailAddress, count: 1), TypeCount(type: .phoneNumber, count: 2),
      ])
    let (original, result) = (Array(text.utf8), Array(answer.text.utf8))
    let first = try #require(answer.redactions.first)
    #expect(
      String(decoding: original[Int(first.start)..<Int(first.end)], as: UTF8.self)
        == "(415) 555-0182")
    #expect(
      String(decoding: result[Int(first.resultStart)..<Int(first.resultEnd)], as: UTF8.self)
        == "[REDACTED_PHONE]")
  }

  @Test(arguments: [Purpose.unspecified, .transmission])
  func aBlockedTextIsNotHandedOut(purpose: Purpose) throws {
    let text = "Write to jo@example.org, SSN 123-45-6789"
    let answer = try service.answer(ScrubRequest(text: text, purpose: purpose))
    #expect(answer.hardBlock && answer.blockingTypes == [.socialSecurityNumber])
    #expect(answer.text.isEmpty && answer.redactions.isEmpty)
    #expect(answer.counts.count == 2)
  }

  @Test func aBlockedTextStaysOnTheDevice() throws {
    let answer = try service.answer(
      ScrubRequest(text: "Pay with 4111 1111 1111 1111", purpose: .localUse))
    #expect(answer.hardBlock && answer.text == "Pay with [REDACTED_PAYMENT_CARD]")
  }

  @Test func everyTypeIsOneOfTheContract() {
    let known = KithPersonalData.PersonalDataType.allCases.map(ScrubberService.wire)
    #expect(known.allSatisfy { $0.name != nil } && Set(known).count == known.count)
    #expect(ScrubberService.wire(.cardSecurityCode) == .cardSecurityCode)
    #expect(ScrubberService.wire(.emailAddress) == .emailAddress)
  }

  @Test func takesTextsUpToTheLimit() throws {
    let most = String(repeating: "a", count: ScrubberService.maximumTextBytes)
    _ = try service.answer(ScrubRequest(text: most))
    _ = try service.answer(ScrubRequest(text: ""))
    do throws(RPCError) {
      _ = try service.answer(ScrubRequest(text: most + "a"))
      Issue.record("accepted")
    } catch {
      #expect(error.code == .invalidArgument && error.fieldViolations.first?.field == "text")
    }
  }
}
