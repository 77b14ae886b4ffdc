import ArgumentParser
import HostContract
import KithClient
import KithJSON
import KithRPC
import KithStore
import KithTerminal

/// `kith rotate-key`
struct RotateKeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate-key",
    abstract: "Has a new key seal what workers keep, and destroys the old one.",
    discussion: """
      Workers may run meanwhile, led by their host, which hands them the new key. All that is sealed is sealed anew; when \
      that is done the old key is overwritten, and backups that were made before open nowhere, unless the key is in them. \
      When it is cut short everything still opens; call it again, and it goes on where it was.

      A damaged value is left as it is, and the old key is then kept, since the damage may be mended yet (exit code 1). \
      Restore a backup of the worker, or destroy the old key even so with --drop-damaged.

      EXAMPLES
        kith rotate-key
        kith rotate-key --product milo
        kith rotate-key --drop-damaged
      """)

  @Flag(help: "Destroy the old key also when damaged values are left that it may have sealed.")
  var dropDamaged = false

  @OptionGroup var product: ProductOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let kept = try KeptProduct.find(product, Surroundings.current)
    let rotation = try await rotate(kept)
    let resealed = rotation.resealed.sorted { $0.key < $1.key }
    let unreadable = rotation.unreadable.sorted { $0.key < $1.key }
    if output.json {
      func counts(_ counts: [(key: String, value: Int)]) -> JSONValue {
        .object(JSONObject(counts.map { ($0.key, .string(String($0.value))) }))
      }
      let json: JSONValue = [
        "isResumed": .bool(rotation.isResumed), "resealed": counts(resealed),
        "unreadable": counts(unreadable), "hasDroppedOlder": .bool(rotation.hasDroppedOlder),
      ]
      try Output.line(json.text(pretty: true))
    } else {
      if rotation.isResumed {
        try Output.line("Went on with a change that had not come to its end.")
      }
      for (worker, count) in resealed {
        try Output.line("\(worker): \(count) \(count == 1 ? "value" : "values") sealed anew")
      }
      for (worker, count) in unreadable {
        try Output.line(
          "\(worker): \(count) damaged \(count == 1 ? "value" : "values") left as they are: no key opens them"
        )
      }
      if rotation.hasDroppedOlder {
        try Output.line("A new key seals; the old one is destroyed.")
        try Output.line(
          "Backups from before open no more, unless the key is in them: make a new one with "
            + CommandHint.located("`kith backup --to FILE`", product.words))
      }
    }
    guard rotation.hasDroppedOlder else {
      throw CommandFailure(
        .failure,
        "a new key seals, and the old one is kept, since damaged values are left that it may have sealed; "
          + "restore a backup of \(unreadable.map(\.key).joined(separator: ", ")), or give the values up: "
          + "`kith rotate-key --drop-damaged`")
    }
  }

  /// Changes the key: with the host, which hands its workers their keys; without one, with no
  /// worker running.
  private func rotate(_ kept: KeptProduct) async throws -> ProductStores.Rotation {
    if let place = try HostPlace(kept.places) {
      defer { place.leave() }
      return try await kept.stores.rotateKey(droppingDamaged: dropDamaged, handOver: nil)
    }
    let running = try await RunningProduct.open(kept.places)
    let host = running.connection.host
    return try await kept.stores.rotateKey(droppingDamaged: dropDamaged) {
      _ = try await host.handOverKeys(
        HandOverKeysRequest(), options: CallOptions(timeout: .seconds(30)))
    }
  }
}
