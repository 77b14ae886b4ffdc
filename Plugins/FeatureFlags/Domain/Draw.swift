/// How a hash is drawn for somebody: by which property of theirs, and with which salt.
struct Draw: Sendable, Equatable {
  /// The seed of splits, another than that of shares: a split inside a share of a tenth reaches all
  /// of its variants.
  static let splitSeed: UInt32 = 86_028_157

  /// The properties by which it is drawn; the first that the context has counts.
  let units: [String]
  private let salted: MurmurHash3

  init(by units: [String], salt: String, seed: UInt32 = 0) {
    self.units = units
    var salted = MurmurHash3(seed: seed)
    salted.absorb(salt)
    salted.absorb(":")
    self.salted = salted
  }

  /// The hash of a context; nil when it has none of the properties.
  func hash(_ context: FlagContext) -> UInt32? {
    for unit in units {
      if let value = context[unit], !value.isEmpty {
        var hash = salted
        hash.absorb(value)
        return hash.value
      }
    }
    return nil
  }
}
