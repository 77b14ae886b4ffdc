import KithJSON
import KithReflection
import TestingContract

/// The parser of JSON, and what makes messages of it.
struct JSONTarget: FuzzTarget {
  private let contracts: ContractSet

  /// A target with the testing contracts.
  init() throws {
    contracts = try ContractSet(encodedDescriptorSet: TestingDescriptorSet.bytes)
  }

  func run(_ input: [UInt8]) {
    guard let value = try? JSONValue(parsing: input) else { return }
    for pretty in [false, true] {
      let again = try? JSONValue(parsing: value.text(pretty: pretty))
      require(again == value, "it is another one after a round")
    }
    guard let message = try? contracts.message(Everything.fullName, from: value) else { return }
    let json = message.json(contracts)
    guard let again = try? contracts.message(Everything.fullName, from: json) else {
      broken("what was written as JSON cannot be read")
    }
    require(again.json(contracts) == json, "it is another message after a round")
    require(
      (try? contracts.decode(message.encoded(), as: Everything.fullName)) != nil,
      "what came of JSON cannot be sent")
  }
}
