import EventsContract
import HealthContract
import KithManifest
import KithPlanning
import KithRPC
import KithSupervision
import KithTransportNng
import MetricsContract
import Synchronization
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
  private let health: HealthClient
  /// The keys of the configuration that the process takes over while it runs, as it said last.
  private let liveKeys = Mutex<Set<String>>([])

  init(
    incarnation: Incarnation, product: String, worker: PlannedWorker, address: String,
    secret: IncarnationSecret, identity: ProcessIdentity, relayPID: Int32? = nil
  ) {
    self.incarnation = incarnation
    self.product = product
    self.worker = worker
    self.secret = secret
    self.identity = identity
    client = RPCClient(
      connector: WorkerConnector(
        to: incarnation, of: product, address: address,
        pids: Set([identity.pid, relayPID].compactMap(\.self)), secret: secret.bytes))
    lifecycle = LifecycleClient(client)
    health = HealthClient(client)
  }

  /// Carries out a step of the start; nil when it succeeded.
  func perform(_ step: StartStep, hostAddress: String) async -> StartFailure? {
    let options = CallOptions(timeout: worker.startTimeout)
    do throws(RPCError) {
      switch step {
      case .spawn, .listen, .watch: return nil
      case .adopt: return try await adopt(options)
      case .handshake: return try await handshake(options).failure
      case .configure:
        _ = try await lifecycle.configure(
          ConfigureRequest(
            configurationJson: worker.configurationText, hostAddress: hostAddress),
          options: options)
      case .start:
        _ = try await lifecycle.start(StartRequest(), options: options)
        // A worker makes its services when it is started: only now can it say which they are.
        let (failure, services) = try await handshake(options)
        return failure ?? missing(from: services)
      }
      return nil
    } catch {
      return Self.failure(of: step, error)
    }
  }

  /// What keeps a process that an earlier host started from being led by this one; nil when nothing
  /// does.
  private func adopt(_ options: CallOptions) async throws(RPCError) -> StartFailure? {
    let (failure, services) = try await handshake(options)
    if let failure { return failure }
    let state = try await health.check(CheckRequest(), options: options)
    switch state.status {
    case .serving, .degraded: return missing(from: services)
    case .draining: return StartFailure(reason: "it was being ended")
    default: return StartFailure(reason: "it was being started")
    }
  }

  /// The keys of the configuration that the process takes over while it runs.
  var liveConfigurationKeys: Set<String> { liveKeys.withLock { $0 } }

  /// Has the process, which is ready, take over another configuration.
  func reconfigure(_ configuration: String, hostAddress: String) async throws(RPCError) {
    _ = try await lifecycle.configure(
      ConfigureRequest(configurationJson: configuration, hostAddress: hostAddress),
      options: CallOptions(timeout: worker.startTimeout))
  }

  /// What a process says when it is shown a time.
  typealias ClockAnswer = Result<MoveClockResponse, RPCError>

  /// Shows the process, which is ready, what time it is, and waits until it has taken in what
  /// others told up to these ends, by service, and done what is due.
  func moveClock(
    to time: ClockMove.Time, afterTakingIn ends: [String: EventFlow.Place] = [:]
  ) async -> ClockAnswer {
    let ends = ends.map { LogEnd(service: $0.key, position: Position($0.value)) }
    do throws(RPCError) {
      return .success(
        try await lifecycle.moveClock(
          MoveClockRequest(time: VirtualTime(time), logEnds: ends)))
    } catch {
      return .failure(error)
    }
  }

  /// Gives the order to drain; false when it was not taken.
  ///
  /// New calls are taken for a moment more: those that were on their way when callers were told.
  /// The moment is longer where nobody waits for its end, since another process has taken over.
  func drain(grace: Duration, isReplaced: Bool) async -> Bool {
    let linger = min(isReplaced ? .milliseconds(100) : .milliseconds(30), grace / 2)
    do throws(RPCError) {
      _ = try await lifecycle.drain(
        DrainRequest(
          gracePeriodMs: UInt32(clamping: (grace - linger).inMilliseconds),
          lingerMs: UInt32(clamping: linger.inMilliseconds)),
        options: CallOptions(timeout: .seconds(1)))
      return true
    } catch {
      return false
    }
  }

  /// Listens to what the worker says about itself, until it says no more or cannot be heard.
  func watch(_ heard: (HealthReportMessage) async -> Void) async -> WatchEnd {
    // Three in its time: one may be late and the worker still shows progress in each half of it.
    let interval = (worker.watchdog ?? .seconds(30)) / 3
    do throws(RPCError) {
      let stream = try await health.watch(
        WatchRequest(intervalMs: UInt32(clamping: max(10, interval.inMilliseconds))))
      for try await response in stream { await heard(HealthReportMessage(response)) }
      return .ended
    } catch {
      return error.code == .unimplemented ? .unsupported : .broken
    }
  }

  /// Asks how the worker is; nil when it does not say so at once.
  func check() async -> HealthReportMessage? {
    let answer = try? await health.check(
      CheckRequest(), options: CallOptions(timeout: .seconds(1)))
    return answer.map(HealthReportMessage.init)
  }

  /// Sets from which level on the process logs. One that is not ready to be told so is left to its
  /// launch record.
  func setLogLevel(_ level: String) async throws(RPCError) {
    do throws(RPCError) {
      _ = try await lifecycle.setLogLevel(
        SetLogLevelRequest(level: level), options: CallOptions(timeout: Self.patience))
    } catch {
      guard error.code != .failedPrecondition, error.code != .unavailable else { return }
      throw error
    }
  }

  /// Has the process take its keys, the one that seals first.
  func takeKeys(_ keys: [SealingKey]) async throws(RPCError) {
    _ = try await lifecycle.takeKeys(
      TakeKeysRequest(keys: keys), options: CallOptions(timeout: Self.patience))
  }

  /// What the process counted of its calls, or why it did not say.
  struct Metrics: Sendable {
    var incarnation: Incarnation
    var answer: Result<[MethodMetrics], RPCError>
  }

  /// Asks the process for its counts.
  func metrics() async -> Metrics {
    do throws(RPCError) {
      let response = try await MetricsClient(client).readMetrics(
        ReadMetricsRequest(), options: CallOptions(timeout: Self.patience))
      return Metrics(incarnation: incarnation, answer: .success(response.methods))
    } catch {
      return Metrics(incarnation: incarnation, answer: .failure(error))
    }
  }

  /// How long a worker that works has to answer what needs no work.
  private static let patience = Duration.seconds(2)

  /// Ends the line.
  func close() {
    client.close()
  }

  /// What is wrong with the worker at the other end, and the services that it serves by now.
  private func handshake(
    _ options: CallOptions
  ) async throws(RPCError) -> (failure: StartFailure?, services: [String]) {
    let nonce = IncarnationSecret.randomBytes()
    let response = try await lifecycle.handshake(
      HandshakeRequest(
        nonce: nonce, hostProof: secret.hostProof(nonce: nonce),
        minimumProtocolVersion: Self.protocolVersions.lowerBound,
        maximumProtocolVersion: Self.protocolVersions.upperBound),
      options: options)
    let failure = check(response, nonce: nonce)
    if failure == nil { liveKeys.withLock { $0 = Set(response.liveConfigurationKeys) } }
    return (failure, response.services.map(\.name))
  }

  private func check(_ response: HandshakeResponse, nonce: [UInt8]) -> StartFailure? {
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
    return nil
  }

  private func missing(from services: [String]) -> StartFailure? {
    let missing = worker.provides.filter { !services.contains($0) }
    guard !missing.isEmpty else { return nil }
    return StartFailure(
      reason:
        "it does not serve \(missing.joined(separator: ", ")), which its plugin.yaml says it provides",
      isRetryable: false)
  }

  /// What a failed call means for the start.
  private static func failure(of step: StartStep, _ error: RPCError) -> StartFailure {
    let what =
      switch step {
      case .adopt: "it could not show what it is"
      case .spawn, .listen, .handshake: "the handshake failed"
      case .configure: "it did not take its configuration"
      case .start, .watch: "it could not start"
      }
    return switch error.code {
    // Its configuration, or its version, which another try would find the same.
    case .invalidArgument: StartFailure(reason: "\(what): \(error.message)", isRetryable: false)
    case .failedPrecondition where step == .handshake:
      StartFailure(reason: "\(what): \(error.message)", isRetryable: false)
    case .failedPrecondition: StartFailure(reason: "\(what): \(error.message)")
    case .unauthenticated:
      StartFailure(
        reason: "\(what): it does not hold the secret of its record, so that no proof is valid")
    case .unavailable: StartFailure(reason: "\(what): \(error)", isDisconnection: true)
    default: StartFailure(reason: "\(what): \(error)")
    }
  }
}
