import ArgumentParser
import Glibc
import KithHost

/// `kithd left`: what hosts that are gone have left running.
struct Left: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Lists the products whose host is gone and whose workers run on.",
    discussion: """
      One line of JSON for each: product, root, manifest, the arguments that a host takes them over with, and the workers \
      with generation and pid. Nothing is changed. `kith` asks this when no host answers.
      """)

  @Option(help: "The product, by its name. By default all that are where products are by default.")
  var product: String?

  @Option(help: "The one folder of a product that was started with --root.")
  var root: String?

  func run() {
    for left in LeftProduct.all(product: product, root: root) { print(left.line) }
  }
}
