import KithRPC

enum KeyedCalls {
  static let one = KeyedCall(method: "test.Purse/Pay", caller: "uid 1", key: "k", request: [1])
  static let other = KeyedCall(method: "test.Purse/Pay", caller: "uid 2", key: "k", request: [1])
}
