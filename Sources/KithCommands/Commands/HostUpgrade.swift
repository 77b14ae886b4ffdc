import HostContract
import KithClient
import KithJSON
import KithManifest
import KithRPC
import KithTerminal
import KithVerbs

/// `kith upgrade --host`: has the host become another program, and waits until that answers.
struct HostUpgrade {
  let product: ProductOptions
  let time: TimeoutOptions
  let output: OutputOptions

  func run(to program: String?) async throws {
    let surroundings = Surroundings.current
    let running = try await product.running(surroundings)
    let deadline = ContinuousClock.now + time.timeout.duration
    let before = try await running.connection.host.getStatus(
      GetStatusRequest(), options: time.callOptions)
    let answer: UpgradeHostResponse
    do throws(RPCError) {
      answer = try await running.connection.host.upgradeHost(
        UpgradeHostRequest(program: program.map(Surroundings.absolutePath) ?? ""),
        options: time.callOptions)
    } catch {
      guard error.code == .unavailable, error.execution != .notStarted else { throw error }
      throw Self.goneMeanwhile
    }
    running.connection.close()
    let after = try await next(after: before, at: running.places, until: deadline)
    guard after.failedUpgrade.isEmpty else {
      throw CommandFailure(
        .unavailable,
        "\(answer.version) did not start, and kithd \(after.hostVersion) goes on: "
          + SafeText.line(after.failedUpgrade))
    }
    if output.json {
      try Output.line(try HostJSON.json(after).text(pretty: true))
      return
    }
    let kept = before.workers.count { old in
      old.pid != 0 && after.workers.contains { $0.name == old.name && $0.pid == old.pid }
    }
    try Output.line(
      "kithd \(after.hostVersion) in place of \(before.hostVersion), pid \(after.hostPid); "
        + "workers that went on: \(kept) of \(before.workers.count { $0.pid != 0 })")
  }

  private static let goneMeanwhile = CommandFailure(
    .unavailable,
    "the host went away while it was being upgraded; its workers go on: `kith status` says how to have them led again, "
      + "and then upgrade again", code: "UNAVAILABLE")

  /// The host that comes after, settled.
  private func next(
    after before: GetStatusResponse, at places: ProductPlaces,
    until deadline: ContinuousClock.Instant
  ) async throws -> GetStatusResponse {
    while true {
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else {
        throw CommandFailure(
          .deadline,
          "the host does not answer after \(time.timeout); see \(places.logFile(worker: "kithd"))")
      }
      let connection = HostConnection(product: before.product, address: places.controlAddress)
      defer { connection.close() }
      if left < time.timeout.duration - .seconds(3),
        OrphanedProduct.all(
          product: places.product, root: places.root,
          environment: Surroundings.current.environment
        ).contains(where: \.isLeft)
      {
        throw Self.goneMeanwhile
      }
      // Nobody tells when a socket comes back; it takes milliseconds.
      let status = try? await connection.host.getStatus(
        GetStatusRequest(waitUntilSettled: true), options: CallOptions(timeout: left))
      if let status, status.hostStartedAtMs != before.hostStartedAtMs { return status }
      try await Task.sleep(for: .milliseconds(20))
    }
  }
}
