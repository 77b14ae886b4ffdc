import HostContract
import KithManifest
import KithPlanning
import KithRPC
import KithSealing
import KithSupervision
import WorkerContract

/// Handing changed sealing keys to processes that run.
extension Host {
  /// How long processes have to take changed keys, those that are starting or draining included.
  private static let timeToTakeKeys = Duration.seconds(20)

  /// Has every process take its keys from the file as it is now; answers how many have. Once this
  /// returns, none seals with another key than the file's first.
  func handOverKeys() async throws -> UInt32 {
    try await withCurrentRing { ring in
      let deadline = ContinuousClock.now + Self.timeToTakeKeys
      // One that is started from here on has read the file as it is.
      let incarnations = workers.running.map(\.incarnation)
      try await withThrowingDiscardingTaskGroup { group in
        for incarnation in incarnations {
          group.addTask { try await self.handOver(ring, to: incarnation, until: deadline) }
        }
      }
      return UInt32(incarnations.count)
    }
  }

  /// Hands the keys to a process of an earlier host: they may have been changed since that handed
  /// over its own.
  func handOverKeys(toAdopted incarnation: Incarnation) async {
    guard settings.plan.posture != .ephemeral else { return }
    do {
      try await withCurrentRing { ring in
        try await handOver(ring, to: incarnation, until: .now + Self.timeToTakeKeys)
      }
    } catch {
      let reason = (error as? RPCError)?.message ?? "\(type(of: error))"
      log("\(incarnation) goes on with the keys that it has: \(reason)", level: .warning)
    }
  }

  /// Hands over the ring as it is now, while nothing else does: what is handed over last is what
  /// the file says.
  private func withCurrentRing<Value>(
    _ body: (KeyRing) async throws -> Value
  ) async throws -> Value {
    while !operations.begin(.handOverKeys) {
      try await wait { $0.operations.contains(.handOverKeys) ? nil : .success(()) }
    }
    defer {
      operations.end(.handOverKeys)
      waits.check(self)
    }
    let ring: KeyRing
    do throws(SealingError) {
      ring = try keys.ring()
    } catch {
      throw RPCError(.failedPrecondition, error.message)
    }
    return try await body(ring)
  }

  /// Hands a process its keys, again and again until it has them or has ended: also one that drains
  /// may still write.
  private func handOver(
    _ ring: KeyRing, to incarnation: Incarnation, until deadline: ContinuousClock.Instant
  ) async throws {
    let keys = ring.keys(of: incarnation.worker).map(SealingKey.init)
    var trouble = "the host does not lead it any more"
    while let process = workers[incarnation] {
      do throws(RPCError) {
        if let link = process.link { return try await link.takeKeys(keys) }
      } catch {
        guard error.code != .unimplemented else {
          throw RPCError(
            .failedPrecondition,
            "\(incarnation) runs with an SDK that cannot take changed keys; build its plugin with this "
              + "version and `kith restart \(incarnation.worker)`, then try again")
        }
        trouble = error.message
      }
      guard ContinuousClock.now < deadline else {
        throw RPCError(
          .unavailable,
          "\(incarnation) has not taken the keys within \(Self.timeToTakeKeys): \(trouble); see `kith why "
            + "\(incarnation.worker)`, and try again when it is ready or down")
      }
      try await Task.sleep(for: .milliseconds(50))
    }
  }
}
