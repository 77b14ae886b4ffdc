public import HostContract
public import KithRPC
public import KithTime

/// The clocks of a product in virtual time, all workers' together.
public struct ProductClock: Sendable {
  let host: HostClient

  /// What the wall clock shows.
  public var now: Instant {
    get async throws {
      let time = try await host.getClock(GetClockRequest(), options: RunningProduct.options)
      return Instant(milliseconds: Int(time.wallMs))
    }
  }

  /// Lets time pass, from each moment at which something is due to the next; returns when all of it
  /// has run and all events have been taken in.
  @discardableResult
  public func advance(by duration: Duration) async throws(RPCError) -> MoveClockResponse {
    let (seconds, attoseconds) = duration.components
    return try await move(.advanceMs(seconds * 1000 + attoseconds / 1_000_000_000_000_000))
  }

  /// Sets the wall clock, forward or back, in one step, as somebody does who finds it wrong.
  @discardableResult
  public func set(to instant: Instant) async throws(RPCError) -> MoveClockResponse {
    try await move(.setWallMs(Int64(instant.milliseconds)))
  }

  private func move(_ move: MoveClockRequest.Move) async throws(RPCError) -> MoveClockResponse {
    try await host.moveClock(MoveClockRequest(move: move), options: RunningProduct.options)
  }
}

extension RunningProduct {
  /// The product's clocks; they can be moved when the setup has a ``ProductSetup/start``.
  public var clock: ProductClock { ProductClock(host: host) }
}
