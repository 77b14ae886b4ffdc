import KithManifest
import KithRPC
import KithSupervision
import KithTransportNng
import WorkerContract

/// The host's line to one process of a worker: the calls that lead it through its life.
final class WorkerLink: Sendable {
  /// The protocol versions that this host speaks.
  static let protocolVersions: ClosedRange<UInt32> = 1...1

  private let incarnation: Incarnation
  private let product: String
  private let worker: PlannedWorker
  private let secret: IncarnationSecret
  private let identity: ProcessIdentity
  private let client: RPCClient
  private let lifecycle: LifecycleClient

  init(
    incarnation: Incarnation, product: String, worker: PlannedWorker, address: String,
    secret: IncarnationSecret, identity: ProcessIdentity
  ) {
    self.incarnation = incarnation
    self.product = product
    self.worker = worker
    self.secret = secret
    self.identity = identity
    client = RPCClient(connector: NngConnector(address: address))
    lifecycle = LifecycleClient(client)
  }

  /// Carries out a step of the start; nil when it succeeded.
  func perform(_ step: StartStep, hostAddress: String) async -> StartFailure? {
    let options = CallOptions(timeout: worker.startTimeout)
    do throws(RPCError) {
      switch step {
      case .spawn, .listen: return nil
      case .handshake: return try await handshake(options)
      case .configure:
        _ = try await lifecycle.configure(
          ConfigureRequest(
            configurationJson: worker.configurationText, hostAddress: hostAddress),
          options: options)
      case .start: _ = try await lifecycle.start(StartRequest(), options: options)
      }
      return nil
    } catch {
      return Self.failure(of: step, error)
    }
  }

  /// Gives the order to drain; false when it was not taken.
  func drain(grace: Duration) async -> Bool {
    let milliseconds =
      grace.components.seconds * 1000 + grace.components.attoseconds / 1_000_000_000_000_000
    do throws(RPCError) {
      _ = try await lifecycle.drain(
        DrainRequest(gracePeriodMs: UInt32(clamping: milliseconds)),
        options: CallOptions(timeout: .seconds(1)))
      return true
    } catch {
      return false
    }
  }

  /// Ends the line.
  func close() {
    client.close()
  }

  private func handshake(_ options: CallOptions) async throws(RPCError) -> StartFailure? {
    let nonce = IncarnationSecret.randomBytes()
    let response = try await lifecycle.handshake(
      HandshakeRequest(
        nonce: nonce, hostProof: secret.hostProof(nonce: nonce),
        minimumProtocolVersion: Self.protocolVersions.lowerBound,
        maximumProtocolVersion: Self.protocolVersions.upperBound),
      options: options)
    guard
      secret.accepts(
        workerProof: response.workerProof, nonce: nonce, product: product, worker: worker.name,
        generation: incarnation.generation)
    else {
      return StartFailure(reason: "what listens on its socket could not prove to be \(incarnation)")
    }
    guard Self.protocolVersions.contains(response.protocolVersion) else {
      return StartFailure(
        reason:
          "it speaks version \(response.protocolVersion) of the worker protocol, this host \(Self.protocolVersions.lowerBound) to \(Self.protocolVersions.upperBound)",
        isRetryable: false)
    }
    guard let process = response.process, process.pid == identity.pid,
      process.startTimeTicks == identity.startTicks, process.bootId == identity.bootID
    else {
      return StartFailure(
        reason: "the process that answered is not the one that was started for \(incarnation)")
    }
    let served = Set(response.services.map(\.name))
    let missing = worker.provides.filter { !served.contains($0) }
    guard missing.isEmpty else {
      return StartFailure(
        reason:
          "it does not serve \(missing.joined(separator: ", ")), which its plugin.yaml says it provides",
        isRetryable: false)
    }
    return nil
  }

  /// What a failed call means for the start.
  private static func failure(of step: StartStep, _ error: RPCError) -> StartFailure {
    switch (step, error.code) {
    case (.handshake, .failedPrecondition):
      StartFailure(reason: "the handshake was refused: \(error.message)", isRetryable: false)
    case (.configure, .invalidArgument):
      StartFailure(reason: "its configuration was refused: \(error.message)", isRetryable: false)
    case (.configure, _): StartFailure(reason: "it did not take its configuration: \(error)")
    case (.start, _): StartFailure(reason: "it could not start: \(error)")
    default: StartFailure(reason: "the handshake failed: \(error)")
    }
  }
}
