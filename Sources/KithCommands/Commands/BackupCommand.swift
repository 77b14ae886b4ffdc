import ArgumentParser
import Glibc
import KithJSON
import KithManifest
import KithSealing
import KithStore
import KithTerminal

/// `kith backup`
struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copies what workers keep into one file, also while they write.",
    discussion: """
      Each store is copied as it is at one moment. What is personal stays sealed, and the sealing key is not in the \
      file: it opens only where the product's key is. With --passphrase-file the key is in it, sealed with a passphrase \
      of 12 characters or more, and it opens on any machine.

      A worker in another language keeps files of its own, which are not in the backup: the output names their folders. \
      Copy them while the worker is stopped.

      A file that is there is left as it is, and the exit code is 73, unless --force is given.

      EXAMPLES
        kith backup --to milo.backup
        kith backup reminders --to reminders.backup
        kith backup --to milo.backup --passphrase-file passphrase.txt
      """)

  @Argument(help: "Workers by their names. (default: all that keep something)")
  var workers: [String] = []

  @Option(help: ArgumentHelp("The file to make.", valueName: "file"))
  var to: String

  @Flag(help: "Replace the file if it is there.")
  var force = false

  @Option(
    help: ArgumentHelp(
      "Puts the key into it, sealed with the first line of this file; - reads standard input.",
      valueName: "file"))
  var passphraseFile: String?

  @OptionGroup var product: ProductOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let kept = try KeptProduct.find(product, Surroundings.current)
    let workers = try kept.workers(self.workers)
    guard !workers.isEmpty else {
      throw CommandFailure(.usage, "\(kept.places.product) keeps nothing that could be copied")
    }
    let passphrase = try passphraseFile.map(PassphraseFile.read)
    let path = Surroundings.absolutePath(to)
    // Now, before a large store is copied for nothing; made sure of again when the copy takes its
    // name.
    guard force || access(path, F_OK) != 0 else { throw Backup.existing(path) }
    let backup = try Backup.make(
      at: path, of: kept.stores, product: kept.places.product, workers: workers,
      passphrase: try passphrase.map { try PassphraseSealing(passphrase: $0) }, replaces: force,
      now: Surroundings.now)
    let others = self.workers.isEmpty ? kept.stores.keepers.filter { !workers.contains($0) } : []
    if output.json {
      try Output.line(backup.json(leavingOut: others).text(pretty: true))
      return
    }
    let parts = backup.parts.map { "\($0.worker) (\(Quantities.bytes(UInt64($0.bytes))))" }
    try Output.line("\(path) holds \(parts.joined(separator: ", ")).")
    try Output.line(
      backup.hasKey
        ? "The sealing key is in it, sealed with the passphrase: keep the two apart."
        : "The sealing key is not in it: it opens only with \(kept.stores.keyFile.path).")
    for other in others {
      try Output.line(
        "Not in it: the files of \(other), which has no store of Kith; stop it and copy "
          + "\(kept.stores.folder(of: other)).")
    }
  }
}

extension Backup {
  func json(leavingOut others: [String]) -> JSONValue {
    [
      "path": .string(path), "product": .string(product),
      "madeAtMs": .string(String(madeAtMilliseconds)), "hasKey": .bool(hasKey),
      "stores": .array(
        parts.map { ["worker": .string($0.worker), "bytes": .string(String($0.bytes))] }),
      "leftOut": .array(others.map { .string($0) }),
    ]
  }
}
