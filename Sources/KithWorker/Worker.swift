import Glibc
public import KithRPC
import KithTransportNng
import Logging
import UnixSignals
import WorkerContract

/// The program of a worker: everything that is not the worker's own rules.
///
/// A whole `main.swift`:
/// ```swift
/// import KithWorker
/// import RiskContract
/// import RiskEngineService
///
/// try await Worker.run { context in
///   let settings = RiskEngineSettings(
///     labelHigh: try context.configuration.double("label_high"))
///   let engine = try RiskEngineService(resources: context.pluginDirectory, settings: settings)
///   context.logger.info("model loaded", metadata: ["version": "\(engine.modelVersion)"])
///   return [.riskEngine(engine)]
/// }
/// ```
/// The closure runs once, when the host has handed over the configuration; when it returns, the
/// worker is ready. It throws ``ConfigurationError`` for values that it cannot use, or any other
/// error when it cannot start; the host tells of it and starts the worker again as its restart
/// policy says.
///
/// The worker ends when the host drains it, or at SIGTERM: new calls are refused with UNAVAILABLE,
/// those in progress may end within the grace period, then the process leaves with exit code 0. A
/// second SIGTERM ends it at once. It goes on when its host dies; a host that starts anew adopts
/// it.
///
/// | exit code | meaning |
/// |---|---|
/// | 0 | drained |
/// | 64 | started by hand, without a host |
/// | 70 | the launch record is wrong, or the socket cannot be listened on |
/// | 143 | a second SIGTERM |
public enum Worker {
  /// The version of this SDK.
  public static let sdkVersion = "0.1.0"

  /// How long calls in progress may go on after a SIGTERM. A drain that the host orders has its own
  /// time.
  static let terminationGracePeriod = Duration.seconds(10)

  private enum ExitCode {
    static let usage: Int32 = 64
    static let software: Int32 = 70
    static let terminated: Int32 = 128 + SIGTERM
  }

  /// Runs a worker whose settings are read from its configuration, and lets them be checked without
  /// a run.
  ///
  /// `kith plan`, `kith up` and `kith apply` start the program with `--check-configuration` before
  /// they start or change anything: `settings` is then tried on the configuration of the product,
  /// and what it throws is shown at the key's line in the manifest.
  /// ```swift
  /// import KithWorker
  /// import RiskEngineService
  ///
  /// @Sendable func settings(_ configuration: WorkerConfiguration) throws -> RiskEngineSettings {
  ///   try RiskEngineSettings(
  ///     medium: configuration.double("label_medium"), high: configuration.double("label_high"))
  /// }
  ///
  /// try await Worker.run(settings: settings) { context, settings in
  ///   [try RiskEngineService(resources: context.pluginDirectory, settings: settings).definition]
  /// }
  /// ```
  /// - Parameters:
  ///   - settings: reads the settings. It must depend on the configuration and on files that the
  ///     sandbox shows, not on the
  ///     worker's store or on other workers. Throw ``ConfigurationError``, or `RPCError.invalidArgument(field:_:)` with the field
  ///     `configuration.KEY`, for a value that it refuses.
  ///   - makeServices: makes the worker's services from its context and its settings.
  /// - Throws: as ``run(_:)``.
  public static func run<Settings: Sendable>(
    settings: @escaping @Sendable (WorkerConfiguration) throws -> Settings,
    _ makeServices:
      @escaping @Sendable (WorkerContext, Settings) async throws -> [ServiceDefinition]
  ) async throws {
    if ConfigurationCheck.isAsked { ConfigurationCheck.run { _ = try settings($0) } }
    try await run { context in
      try await makeServices(context, settings(context.configuration))
    }
  }

  /// Runs the worker until it is told to end, then ends the process.
  /// - Parameter makeServices: makes the worker's services from its context.
  /// - Throws: nothing that a `main` could act on: what goes wrong before the worker serves is told
  ///   on standard error and ends the process. `CancellationError` when the calling task is
  ///   cancelled.
  public static func run(
    _ makeServices: @escaping @Sendable (WorkerContext) async throws -> [ServiceDefinition]
  ) async throws {
    if ConfigurationCheck.isAsked { ConfigurationCheck.run(nil) }
    // A reader that is gone (the host's end of the log, a caller's socket) is an error of one
    // write, not of the process.
    signal(SIGPIPE, SIG_IGN)
    let launch: Launch
    do throws(LaunchError) {
      guard let found = try Launch.read() else { leaveStartedByHand() }
      launch = found
    } catch {
      complain("the worker cannot begin: \(error)")
      _exit(ExitCode.software)
    }

    let threshold = LogThreshold(Logger.Level(rawValue: launch.record.logLevel) ?? .info)
    LoggingSystem.bootstrap { _ in StandardErrorLogHandler(threshold: threshold) }
    let logger = Logger(label: launch.record.worker)
    // Before the socket is there, so that no signal finds the process without a plan.
    let signals = await UnixSignalsSequence(trapping: .sigterm)
    let runtime = WorkerRuntime(
      record: launch.record, logger: logger, logThreshold: threshold, makeServices: makeServices)
    async let watching: Void = {
      for await _ in signals { runtime.terminate(terminationGracePeriod) }
    }()

    let outcome: WorkerRuntime.Outcome
    do throws(RPCError) {
      outcome = try await runtime.run(on: NngListener(address: launch.record.address)) {
        launch.notifyListening()
      }
    } catch {
      logger.critical("cannot listen", metadata: ["reason": "\(error.message)"])
      _exit(ExitCode.software)
    }
    if Task.isCancelled {
      await watching
      throw CancellationError()
    }
    // Not `exit`: nothing is left to write, and tearing nng down is where it is known to hang.
    switch outcome {
    case .drained:
      logger.info("drained")
      _exit(0)
    case .cutShort: _exit(ExitCode.terminated)
    }
  }

  private static func leaveStartedByHand() -> Never {
    let program = CommandLine.arguments.first.map { $0.split(separator: "/").last ?? "" } ?? ""
    complain(
      """
      \(program) is a worker of Kith: it is started by a host, which tells it what to do.
      Name it in a product's manifest and start that:  kith up PRODUCT
      """)
    _exit(ExitCode.usage)
  }

  private static func complain(_ text: String) {
    StandardError.write(Array("\(text)\n".utf8))
  }
}
