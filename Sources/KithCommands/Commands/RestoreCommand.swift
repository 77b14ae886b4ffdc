import ArgumentParser
import KithJSON
import KithManifest
import KithSealing
import KithStore

/// `kith restore`
struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Puts what a backup holds in place of what workers keep.",
    discussion: """
      The product must be down. Everything is checked before the first store is replaced: that the file is whole, is of \
      this product, opens with its key, and is of no later version than the workers. What stood there is kept beside, as \
      store.sqlite.before-restore-1, or with the next number where there is one already.

      On a new machine: bring back the key's file first (`keys/sealing.keys` of the product's state), or restore a \
      backup that has the key in it with --passphrase-file.

      EXAMPLES
        kith restore milo.backup
        kith restore milo.backup reminders
        kith restore milo.backup --passphrase-file passphrase.txt
      """)

  @Argument(help: ArgumentHelp("The backup.", valueName: "file"))
  var file: String

  @Argument(help: "Workers by their names. (default: all that are in it)")
  var workers: [String] = []

  @Option(
    help: ArgumentHelp(
      "Opens the key in the backup with the first line of this file; - reads standard input.",
      valueName: "file"))
  var passphraseFile: String?

  @OptionGroup var product: ProductOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let backup = try Backup(path: Surroundings.absolutePath(file))
    let kept = try KeptProduct.find(product, named: backup.product, Surroundings.current)
    let passphrase = try passphraseFile.map(PassphraseFile.read)
    let restoration = try kept.withoutHost {
      try kept.stores.restore(
        backup, product: kept.places.product, workers: workers,
        passphrase: try passphrase.map { try PassphraseSealing(passphrase: $0) })
    }
    if output.json {
      let json: JSONValue = [
        "restored": .array(restoration.restored.map { .string($0) }),
        "kept": .object(
          JSONObject(
            restoration.kept.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
        "hasAddedKey": .bool(restoration.hasAddedKey),
      ]
      try Output.line(json.text(pretty: true))
      return
    }
    let names = restoration.restored.joined(separator: ", ")
    try Output.line("Restored \(names) of \(kept.places.product).")
    if restoration.hasAddedKey {
      try Output.line("The key of the backup was added to \(kept.stores.keyFile.path).")
    }
    for (worker, path) in restoration.kept.sorted(by: { $0.key < $1.key }) {
      try Output.line("What \(worker) had is kept as \(path)")
    }
  }
}
