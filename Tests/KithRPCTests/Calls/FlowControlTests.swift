import Testing

@testable import KithRPC

/// Credit, between a sender and a receiver with a slow pipe between them: all orders of events.
struct FlowControlTests {
  /// Both halves and what is on its way between them. A value: each order of events is a copy.
  private struct World {
    static let window = Credit(messages: 2, bytes: 4)

    var unsent: [Int]
    var gate = CreditGate<Int>(credit: window)
    var pipe: [Int] = []
    var inbox = MessageInbox<Bool>(credit: window)
    var grants: [Credit] = []
    var taken: [Int] = []
    var buffered = 0
    var isReaderWaiting = false

    /// What can happen next.
    enum Event: CaseIterable {
      case send, arrive, take, grant
    }

    /// Lets `event` happen; answers false when it cannot.
    mutating func happen(_ event: Event) throws -> Bool {
      switch event {
      case .send:
        guard let size = unsent.first else { return false }
        unsent.removeFirst()
        if gate.offer(size, size: size) == nil { pipe.append(size) }
      case .arrive:
        guard let size = pipe.first else { return false }
        pipe.removeFirst()
        buffered += size
        let delivery = try inbox.receive(
          ArraySlice([UInt8](repeating: 0, count: size)), isPart: false, maximumBytes: 100)
        if let delivery {
          isReaderWaiting = false
          took(delivery.message.count, delivery.grant)
        }
      case .take:
        guard !isReaderWaiting else { return false }
        switch inbox.take(true) {
        case .message(let message, let grant): took(message.count, grant)
        case .parked: isReaderWaiting = true
        case .end, .busy: Issue.record("nobody has ended it and nobody else reads")
        }
      case .grant:
        guard let credit = grants.first else { return false }
        grants.removeFirst()
        pipe += gate.grant(credit)
      }
      return true
    }

    private mutating func took(_ size: Int, _ grant: Credit?) {
      taken.append(size)
      buffered -= size
      if let grant { grants.append(grant) }
    }
  }

  private struct Explorer {
    let sizes: [Int]
    var ends = 0
    var mostBuffered = 0

    mutating func explore(_ world: World) throws {
      mostBuffered = max(mostBuffered, world.buffered)
      var isEnd = true
      for event in World.Event.allCases {
        var next = world
        guard try next.happen(event) else { continue }
        isEnd = false
        try explore(next)
      }
      guard isEnd else { return }
      ends += 1
      // Nothing can happen any more: then all must have arrived, in order. Otherwise sender and
      // receiver wait for each other.
      #expect(world.taken == sizes)
    }
  }

  @Test(arguments: [[1, 1, 1, 1], [4, 4, 1], [9, 0, 9], [0, 0, 0, 0], [3, 3, 3], [1, 9, 1]])
  func noOrderOfEventsLosesAMessageOrEndsInAWait(_ sizes: [Int]) throws {
    var explorer = Explorer(sizes: sizes)
    try explorer.explore(World(unsent: sizes))
    #expect(explorer.ends > 0)
    let largest = sizes.max() ?? 0
    #expect(explorer.mostBuffered <= World.window.bytes - 1 + largest)
  }

  @Test func longRunsOfRandomSizesArriveInOrder() throws {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<200 {
      let sizes = (0..<200).map { _ in Int.random(in: 0...7, using: &random) }
      var world = World(unsent: sizes)
      while world.taken.count < sizes.count {
        let event = try #require(World.Event.allCases.randomElement(using: &random))
        _ = try world.happen(event)
        #expect(world.buffered <= World.window.bytes - 1 + 7)
      }
      #expect(world.taken == sizes)
    }
  }

  @Test func aSenderWithoutCreditIsCaught() throws {
    var inbox = MessageInbox<Bool>(credit: Credit(messages: 1, bytes: 10))
    _ = try inbox.receive([1], isPart: false, maximumBytes: 100)
    #expect(throws: MessageInbox<Bool>.Violation.noCredit) {
      _ = try inbox.receive([1], isPart: false, maximumBytes: 100)
    }
  }

  /// What is granted when one message after another is taken.
  private func grants(_ credit: Credit, sizes: [Int]) throws -> [Credit?] {
    var inbox = MessageInbox<Bool>(credit: credit)
    for size in sizes {
      _ = try inbox.receive(
        [UInt8](repeating: 0, count: size)[...], isPart: false, maximumBytes: 100)
    }
    return sizes.map { _ in
      guard case .message(_, let grant) = inbox.take(true) else { return nil }
      return grant
    }
  }

  @Test func aGrantComesWhenHalfOfTheCreditIsTakenAndNotBefore() throws {
    let half = Credit(messages: 2, bytes: 2)
    #expect(
      try grants(Credit(messages: 4, bytes: 99), sizes: [1, 1, 1, 1]) == [nil, half, nil, half])
    #expect(
      try grants(Credit(messages: 99, bytes: 10), sizes: [4, 1, 4])
        == [nil, Credit(messages: 2, bytes: 5), nil])
  }

  @Test func whatWasGrantedMayBeSent() throws {
    var inbox = MessageInbox<Bool>(credit: Credit(messages: 2, bytes: 99))
    for _ in 0..<10 {
      _ = try inbox.receive([1], isPart: false, maximumBytes: 100)
      guard case .message(_, let grant) = inbox.take(true) else {
        Issue.record("the message is there")
        return
      }
      #expect(grant == Credit(messages: 1, bytes: 1))
    }
  }

  @Test func partsMakeAMessageUpToTheLimit() throws {
    var inbox = MessageInbox<Bool>(credit: nil)
    _ = try inbox.receive([1, 2], isPart: true, maximumBytes: 4)
    #expect(inbox.isWithinMessage && inbox.count == 0)
    _ = try inbox.receive([3, 4], isPart: false, maximumBytes: 4)
    #expect(inbox.takeFirst() == [1, 2, 3, 4])
    _ = try inbox.receive([1, 2, 3], isPart: true, maximumBytes: 4)
    #expect(throws: MessageInbox<Bool>.Violation.tooLong) {
      _ = try inbox.receive([4, 5], isPart: false, maximumBytes: 4)
    }
  }

  @Test func aMessageThatIsHeldBackCanBeTakenBack() {
    var gate = CreditGate<String>(credit: Credit(messages: 1, bytes: 10))
    #expect(gate.offer("first", size: 1) == nil)
    let ticket = gate.offer("second", size: 1)
    let third = gate.offer("third", size: 1)
    #expect(ticket != nil && third != nil)
    #expect(ticket.flatMap { gate.withdraw($0) } == "second")
    #expect(ticket.flatMap { gate.withdraw($0) } == nil)
    #expect(gate.grant(Credit(messages: 5, bytes: 5)) == ["third"])
    #expect(gate.isEmpty)
  }

  @Test func aGrantWithoutEndIsCountedAsFarAsItCanBe() {
    var gate = CreditGate<Int>(credit: Credit(messages: 0, bytes: 0))
    _ = gate.offer(1, size: 1)
    for _ in 0..<3 { _ = gate.grant(Credit(messages: .max / 2, bytes: .max / 2)) }
    #expect(gate.offer(2, size: 1) == nil)
  }

  @Test func aSenderThatKeepsCountItselfSendsNoMoreThanWasTaken() {
    let full = Credit(messages: 2, bytes: 10)
    var gate = CreditGate<Int>(credit: full)
    let tickets = (1...5).map { gate.offer($0, size: 1) }
    #expect(tickets.map { $0 == nil } == [true, true, false, false, false])
    #expect(gate.refill(to: full) == [3, 4])
    #expect(gate.refill(to: full) == [5])
    // What was left of the credit is not added to the new one.
    #expect(gate.refill(to: full) == [])
    #expect((6...8).map { gate.offer($0, size: 1) == nil } == [true, true, false])
  }
}
