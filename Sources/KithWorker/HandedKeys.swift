package import KithRPC
import Synchronization
package import WorkerContract

/// The sealing keys that the host has handed over, for the one that seals with them. Safe to use
/// from any thread.
package final class HandedKeys: Sendable {
  /// Takes the keys over at once, or throws and changes nothing.
  package typealias Take = @Sendable ([SealingKey]) throws(RPCError) -> Void

  private struct State {
    var keys: [SealingKey]
    var take: Take?
  }

  private let state: Mutex<State>
  /// Why there are none although the worker may keep data; empty when nothing is wrong.
  package let missingReason: String

  /// The keys of a launch record, the one that seals first; none where nothing is kept.
  package init(_ keys: [SealingKey] = [], missingReason: String = "") {
    state = Mutex(State(keys: keys))
    self.missingReason = missingReason
  }

  /// The keys, the one that seals first; empty where nothing is kept.
  package var keys: [SealingKey] { state.withLock { $0.keys } }

  /// Hands the keys on, now and whenever they change.
  package func follow(_ take: @escaping Take) throws(RPCError) {
    // Under the lock, so that no change passes between the two.
    let result = state.withLock { state in
      Result { () throws(RPCError) in
        try take(state.keys)
        state.take = take
      }
    }
    try result.get()
  }

  /// Takes changed keys: when this returns, they are what is sealed with.
  func change(to keys: [SealingKey]) throws(RPCError) {
    guard !keys.isEmpty else {
      throw RPCError.invalidArgument(field: "keys", "there is none; expected one or more")
    }
    guard !keys.contains(where: { $0.id == 0 || $0.secret.count != 32 }) else {
      throw RPCError.invalidArgument(
        field: "keys", "expected an id other than 0 and a secret of 32 bytes in each")
    }
    guard Set(keys.map(\.id)).count == keys.count else {
      throw RPCError.invalidArgument(field: "keys", "expected each id once")
    }
    let result = state.withLock { state in
      Result { () throws(RPCError) in
        try state.take?(keys)
        state.keys = keys
      }
    }
    try result.get()
  }
}
