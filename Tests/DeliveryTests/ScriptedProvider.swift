import DeliveryDomain
import DeliveryService
import Synchronization

/// A provider whose outcomes a test says, in their order; accepts when nothing is said.
final class ScriptedProvider: DeliveryProvider {
  let name: String
  private let repeatsAreOne: Bool
  private let state = Mutex(State())

  private struct State {
    var outcomes: [AttemptOutcome] = []
    var taken: [OutboundMessage] = []
    var running = 0
    var mostRunning = 0
    var isHeld = false
    var held: [CheckedContinuation<Void, Never>] = []
  }

  init(_ name: String = "outbox", repeatsAreOne: Bool = true) {
    self.name = name
    self.repeatsAreOne = repeatsAreOne
  }

  /// The messages that it was given, in order.
  var taken: [OutboundMessage] { state.withLock(\.taken) }
  /// The most attempts at once.
  var mostRunning: Int { state.withLock(\.mostRunning) }

  /// Says the outcomes of the next attempts.
  func next(_ outcomes: AttemptOutcome...) { state.withLock { $0.outcomes += outcomes } }

  /// Holds attempts until ``letGo()``.
  func hold() { state.withLock { $0.isHeld = true } }

  func letGo() {
    let held = state.withLock { state in
      state.isHeld = false
      defer { state.held = [] }
      return state.held
    }
    for continuation in held { continuation.resume() }
  }

  func makesRepeatsOne(_ message: OutboundMessage) -> Bool { repeatsAreOne }

  func deliver(_ message: OutboundMessage) async -> AttemptOutcome {
    let outcome = state.withLock { state in
      state.taken.append(message)
      state.running += 1
      state.mostRunning = max(state.mostRunning, state.running)
      return state.outcomes.isEmpty
        ? AttemptOutcome.accepted(providerID: "p\(state.taken.count)")
        : state.outcomes.removeFirst()
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isHeld = state.withLock { state in
          guard state.isHeld, !Task.isCancelled else { return false }
          state.held.append(continuation)
          return true
        }
        if !isHeld { continuation.resume() }
      }
    } onCancel: {
      letGo()
    }
    state.withLock { $0.running -= 1 }
    return Task.isCancelled ? .unknown(reason: "given up") : outcome
  }
}
