import ArgumentParser
import Glibc
import KithHost
import UnixSignals

/// `kithd run`: until SIGTERM, SIGINT or `kith down`.
struct Run: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs a product until it is told to end.",
    discussion: """
      SIGHUP applies the manifest as it stands on disk, as `kith apply` does; one that is wrong, or that a worker refuses, changes nothing. \
      What came of it is in the log.

      Exit codes: 0 ended as asked; 64 wrong usage; 65 a manifest is wrong; 70 internal error; 73 a folder or socket \
      cannot be created, or was moved or removed while the host ran; 75 another host runs this product in the same root.
      """)

  @OptionGroup var manifest: ManifestOptions

  @Option(help: "One folder for state, logs and sockets. By default the XDG folders.")
  var root: String?

  @Option(
    help: ArgumentHelp(
      "Clocks that are moved by hand, and what they show first: milliseconds since 1970.",
      valueName: "milliseconds"))
  var virtualTime: Int64?

  @Flag(help: "Show what the host logs on standard error too.")
  var foreground = false

  @Flag(help: "Read the manifests, start nothing, and end: with exit code 0 when all is well.")
  var check = false

  func validate() throws {
    guard root != "" else {
      throw ValidationError("--root needs a folder, and was given an empty text")
    }
  }

  mutating func run() async throws {
    // A reader of a pipe that went away must not take the host along; writes report it.
    signal(SIGPIPE, SIG_IGN)
    do {
      var settings = try HostSettings(
        product: manifest.product, pluginFolders: manifest.plugins, root: root,
        isForeground: foreground)
      settings.virtualStart = virtualTime
      if check { return }
      let host = try Host(settings)
      try await withThrowingDiscardingTaskGroup { group in
        group.addTask {
          for await signal in await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup) {
            if signal == .sighup {
              await host.reload(because: "received \(signal)")
            } else {
              await host.beginShutdown(because: "received \(signal)")
            }
          }
        }
        try await host.run(listening: LaunchNotice.listening)
        group.cancelAll()
      }
    } catch let failure as HostFailure {
      HostProgram.goBack(because: "\(failure)")
      LaunchNotice.failed(failure)
      throw ExitCode(failure.exitCode)
    }
  }
}
