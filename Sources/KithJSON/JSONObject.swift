/// The members of a JSON object, in the order in which they were added, each name once.
///
/// Two objects are equal when they have the same members, in whatever order: the order is for
/// readers.
public struct JSONObject: Sendable {
  /// Up to this many members a search through all of them is faster than an index.
  private static let indexThreshold = 12

  private var storage: [Member] = []
  private var index: [String: Int] = [:]

  /// A named value.
  public struct Member: Sendable, Equatable {
    /// The name.
    public var name: String
    /// The value.
    public var value: JSONValue

    /// Creates a member.
    public init(name: String, value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// An object without members.
  public init() {}

  /// An object with these members; of a name given twice the last value stands, in the first one's
  /// place.
  public init(_ members: some Sequence<(String, JSONValue)>) {
    for (name, value) in members { self[name] = value }
  }

  /// How many members there are.
  public var count: Int { storage.count }

  /// Whether there are none.
  public var isEmpty: Bool { storage.isEmpty }

  /// The members in order.
  public var members: [Member] { storage }

  /// The names in order.
  public var names: [String] { storage.map(\.name) }

  /// The value of a name. Setting a new name appends it, setting `nil` removes it.
  public subscript(name: String) -> JSONValue? {
    get { position(of: name).map { storage[$0].value } }
    set {
      switch (position(of: name), newValue) {
      case (let position?, let value?):
        storage[position].value = value
      case (let position?, nil):
        storage.remove(at: position)
        rebuildIndex()
      case (nil, let value?):
        storage.append(Member(name: name, value: value))
        if storage.count == Self.indexThreshold + 1 {
          rebuildIndex()
        } else if storage.count > Self.indexThreshold {
          index[name] = storage.count - 1
        }
      case (nil, nil):
        break
      }
    }
  }

  private func position(of name: String) -> Int? {
    storage.count > Self.indexThreshold
      ? index[name] : storage.firstIndex { $0.name == name }
  }

  private mutating func rebuildIndex() {
    index.removeAll(keepingCapacity: true)
    guard storage.count > Self.indexThreshold else { return }
    for (position, member) in storage.enumerated() { index[member.name] = position }
  }
}

extension JSONObject: Equatable {
  /// Whether both have the same members, in whatever order.
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    left.count == right.count && left.storage.allSatisfy { right[$0.name] == $0.value }
  }
}

extension JSONObject: Sequence {
  /// The members in order.
  public func makeIterator() -> IndexingIterator<[Member]> { storage.makeIterator() }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// An object with these members; of a name given twice the last value stands.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self.init(elements)
  }
}
