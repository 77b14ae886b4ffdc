/// What one connection has taken of its process's budget: a value, which follows what the
/// connection holds.
struct ConnectionCharge {
  /// So many bytes a connection holds without asking: small calls go on while the budget is used
  /// up.
  static let free = 32 << 10

  /// What is taken of the budget.
  private(set) var taken = 0
  private var isTrusted = false

  /// Takes what is missing so that `bytes` may be held, or gives back what is too much. Answers
  /// false, and takes nothing, when the budget has not so much left.
  mutating func hold(_ bytes: Int, isTrusted: Bool, of budget: MessageBudget) -> Bool {
    let wanted = max(0, bytes - Self.free)
    guard wanted != taken || isTrusted != self.isTrusted else { return true }
    if isTrusted, !self.isTrusted {
      budget.trust(taken)
      self.isTrusted = true
    }
    if wanted > taken {
      guard budget.take(wanted - taken, isTrusted: self.isTrusted) else { return false }
    } else if wanted < taken {
      budget.giveBack(taken - wanted, isTrusted: self.isTrusted)
    }
    taken = wanted
    return true
  }
}
