import KithReflection
import Testing

@Suite struct ContractPrinterTests {
  @Test func aServiceReadsAsInItsProtoFile() throws {
    let contracts = try Contracts.risk()
    let service = try #require(contracts.services.first { $0.name == "RiskEngine" })
    let text = ContractPrinter(contracts).text(of: service)
    #expect(
      text.hasPrefix(
        """
        // Scores short texts that a person received. Stateless: nothing of a text is
        // kept or logged.
        service RiskEngine {
          // Scores a text and says why, in words that an older person can act on.
          rpc Analyze(AnalyzeRequest) returns (AnalyzeResponse) {
            option (kith.entitlement) = { feature: "scam_check", quota: "scam_checks" };
            option idempotency_level = NO_SIDE_EFFECTS;
          }

        """))
    #expect(
      text.hasSuffix(
        """
          // The signals of the rule bundle, in its order.
          rpc ListRules(ListRulesRequest) returns (ListRulesResponse) {
            option (kith.verb) = "rules";
            option idempotency_level = NO_SIDE_EFFECTS;
          }

          // Which rules and which model answer, with the figures of the training.
          rpc GetModel(GetModelRequest) returns (GetModelResponse) {
            option idempotency_level = NO_SIDE_EFFECTS;
          }
        }
        """))
  }

  @Test func optionsMapsAndChoicesAreWritten() throws {
    let contracts = try Contracts.everything()
    let tree = try #require(contracts.message(named: "kith.testing.v1.Tree"))
    #expect(
      ContractPrinter(contracts).text(of: tree) == """
        // A message that holds its own kind.
        message Tree {
          // A name.
          string name = 1;

          // Below it, on one side.
          Tree left = 2;

          // Below it, in a row.
          repeated Tree children = 3;

          // Below it, by name.
          map<string, Tree> named = 4;

          // Left or right.
          oneof side {
            // A tree.
            Tree right = 5;
            // Only a number.
            int32 number = 6;
          }
        }
        """)
    let request = try #require(try Contracts.risk().message(named: "kith.risk.v1.AnalyzeRequest"))
    let text = ContractPrinter(try Contracts.risk()).text(of: request)
    #expect(text.contains("string text = 1 [(kith.sensitive) = true, (kith.positional) = true];"))
    #expect(text.contains(#"string locale = 3 [(kith.default_value) = "en-US"];"#))
    #expect(text.contains("optional bool sender_is_contact = 5;"))
  }

  @Test func aMethodComesWithAllTypesThatItUses() throws {
    let contracts = try Contracts.risk()
    let method = try #require(contracts.method(named: "kith.risk.v1.RiskEngine/Analyze"))
    let text = ContractPrinter(contracts).text(of: method)
    for name in [
      "message AnalyzeRequest", "message AnalyzeResponse", "message Span", "enum Channel",
      "enum Category",
    ] {
      #expect(text.contains(name), "\(name) is missing")
    }
  }

  @Test func theFirstSentenceEndsAtItsStop() {
    #expect(Prose.firstSentence(of: "From 0.7 on.\nAnd more.") == "From 0.7 on")
    #expect(Prose.firstSentence(of: "No stop") == "No stop")
    #expect(Prose.firstSentence(of: "") == "")
  }
}
