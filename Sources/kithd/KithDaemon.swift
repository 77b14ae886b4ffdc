import ArgumentParser
import KithHost

/// `kithd`: the host of one product.
@main
struct KithDaemon: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kithd",
    abstract: "Runs the workers of one product.",
    discussion: "`kith up PRODUCT` starts this in the background; `kith down` ends it.",
    version: "kithd \(HostVersion.current)",
    subcommands: [Run.self, Left.self, Check.self])
}
