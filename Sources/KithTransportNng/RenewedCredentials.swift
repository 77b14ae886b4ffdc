import KithRPC
import Synchronization

/// What the calls of one connection show of their caller, renewed before it expires for as long as
/// calls are made.
final class RenewedCredentials: Sendable {
  private struct State {
    var target: ResolvedTarget
    var isRenewing = false
  }

  /// How long after a renewal that failed the next one may begin: the host may be away, and calls
  /// go on meanwhile.
  private static let pause = Duration.seconds(30)

  private let resolver: any Resolver
  private let state: Mutex<State>

  /// The credentials of a target, renewed by its resolver.
  init(of target: ResolvedTarget, by resolver: any Resolver) {
    self.resolver = resolver
    state = Mutex(State(target: target))
  }

  /// The credentials now. Begins a renewal when that is due, and does not wait for it.
  var entries: [Metadata.Entry] {
    let (entries, renews) = state.withLock { state in
      guard let renewal = state.target.renewal, !state.isRenewing, .now >= renewal else {
        return (state.target.credentials, false)
      }
      state.isRenewing = true
      return (state.target.credentials, true)
    }
    // Detached: the renewal is for all calls, and must not end with the one that happened to begin
    // it.
    if renews { Task.detached { await self.renew() } }
    return entries
  }

  private func renew() async {
    let found = try? await resolver.resolve(
      newerThan: nil, options: CallOptions(timeout: .seconds(5)))
    state.withLock { state in
      state.isRenewing = false
      if let found, found.generation == state.target.generation {
        state.target = found
      } else {
        state.target.renewal = .now + Self.pause
      }
    }
  }
}
