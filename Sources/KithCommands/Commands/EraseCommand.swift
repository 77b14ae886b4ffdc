import ArgumentParser
import KithJSON
import KithManifest
import KithStore
import KithTerminal

/// `kith erase`
struct EraseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Destroys the key of a product and all that its workers keep, and proves it.",
    discussion: """
      The product must be down. The key goes first: from then on nothing that it has sealed can be read, here or in a \
      backup that has not the key in it. Then every file of every worker is overwritten and removed. There is no way \
      back. Logs stay; nothing personal is in them.

      EXAMPLES
        kith erase --product milo --yes
      """)

  @Flag(help: "Do it. Without this it is only said what would be destroyed.")
  var yes = false

  @OptionGroup var product: ProductOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let kept = try KeptProduct.find(product, Surroundings.current)
    guard yes else {
      let names = kept.stores.keepers.joined(separator: ", ")
      throw CommandFailure(
        .usage,
        "this would destroy the key of \(kept.places.product) and all that \(names.isEmpty ? "its workers" : names) "
          + "keep in \(kept.places.stateDirectory), for good; add --yes to do it")
    }
    let erasure = try kept.withoutHost { try kept.stores.erase() }
    if output.json {
      try Output.line(erasure.json.text(pretty: true))
    } else {
      try Output.line("Destroyed:")
      try Output.lines(
        erasure.files.map { "  \($0.path) (\(Quantities.bytes(UInt64($0.bytes))))" })
      if erasure.files.isEmpty { try Output.line("  nothing: there was nothing") }
      try Output.line("Checked:")
      try Output.lines(erasure.checks.map { "  \($0.holds ? "yes" : "NO ")  \($0.what)" })
    }
    guard erasure.isProven else {
      throw CommandFailure(.failure, "not all of it is gone; see what was checked, and erase again")
    }
  }
}

extension ProductStores.Erasure {
  fileprivate var json: JSONValue {
    [
      "destroyed": .array(
        files.map { ["path": .string($0.path), "bytes": .string(String($0.bytes))] }),
      "checks": .array(checks.map { ["what": .string($0.what), "holds": .bool($0.holds)] }),
      "isProven": .bool(isProven),
    ]
  }
}
