import KithAccess
import KithIdentity
import KithRPC
import Testing

@testable import KithWorker

/// In whose name the calls are that a handler makes.
@Suite struct CallerInterceptorTests {
  private static let method = MethodDescriptor(service: "test.Test", method: "Test")
  private static let plain = Principal.worker("other", generation: 1)
  private static let forAda = Principal.worker("other", generation: 1, people: .only(["ada"]))

  /// What a call shows that is made while a call of `principal` for `user` is answered.
  private func shown(
    answering principal: Principal, for user: String? = nil, pass: [UInt8]? = nil,
    actsForUsers: Bool = false, _ options: CallOptions = .defaults
  ) async throws -> (user: String?, pass: [UInt8]?) {
    var metadata = Metadata()
    if let user { metadata.append(user, forKey: CallContext.userKey) }
    if let pass { metadata.append(binary: pass, forKey: ProofKeys.pass) }
    let context = CallContext(method: Self.method, metadata: metadata, principal: principal)
    var options = options
    _ = try await CallContext.$current.withValue(context) {
      try await CallerInterceptor(actsForUsers: actsForUsers).begin(Self.method, &options)
    }
    return (options.metadata[CallContext.userKey], options.metadata[binary: ProofKeys.pass])
  }

  @Test func aPersonsCallGoesOnInThePersonsNameWithThePass() async throws {
    let shown = try await shown(answering: Self.forAda, for: "ada", pass: [1])
    #expect(shown.user == "ada" && shown.pass == [1])
  }

  @Test func aPassIsShownForNobodyElse() async throws {
    let options = CallOptions(metadata: [CallContext.userKey: "bob"])
    let shown = try await shown(answering: Self.forAda, for: "ada", pass: [1], options)
    #expect(shown.user == "bob" && shown.pass == nil)
  }

  @Test func anOperatorsRightsDoNotGoOn() async throws {
    let shown = try await shown(answering: .operator)
    #expect(shown.user == nil && shown.pass == nil)
  }

  @Test func aStrangerStaysOne() async throws {
    #expect(try await shown(answering: .stranger).user == "")
    #expect(try await shown(answering: Self.plain, for: "ada").user == "")
  }

  @Test func whatOneWorkerMayDoForTheProductAnotherDoesNotHaveDone() async throws {
    #expect(try await shown(answering: Self.plain, actsForUsers: true).user == "")
    #expect(try await shown(answering: Self.plain, actsForUsers: false).user == nil)
  }

  @Test func aCallThatInheritsNothingIsInTheWorkersOwnName() async throws {
    let options = CallOptions(inheritsContext: false)
    let shown = try await shown(answering: Self.forAda, for: "ada", pass: [1], options)
    #expect(shown.user == nil && shown.pass == nil)
  }
}
