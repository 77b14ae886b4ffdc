import ArgumentParser
import Glibc
import KithHost

/// `kithd left`: what hosts that are gone have left running.
struct Left: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract:
      "Lists the products of which something runs, as far as the files of their roots tell.",
    discussion: """
      One line of JSON for each: product, root, manifest, the arguments that a host takes workers over with, the workers \
      with generation and pid, records that are damaged, and the pid of the host that holds the root. Nothing is changed, \
      unless --end is given, which ends workers whose host is gone. `kith` asks this when no host answers.
      """)

  @Option(help: "The product, by its name. By default all that are where products are by default.")
  var product: String?

  @Option(help: "The one folder of a product that was started with --root.")
  var root: String?

  @Flag(
    help: "End what a host that is gone has left running: SIGTERM, and SIGKILL ten seconds later.")
  var end = false

  func run() throws {
    for left in OrphanedProduct.all(product: product, root: root) {
      if end { try left.end() }
      print(left.line)
    }
  }
}
