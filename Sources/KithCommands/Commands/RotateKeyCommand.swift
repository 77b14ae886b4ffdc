import ArgumentParser
import KithJSON
import KithStore

/// `kith rotate-key`
struct RotateKeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate-key",
    abstract: "Has a new key seal what workers keep, and destroys the old one.",
    discussion: """
      Workers may run meanwhile. All that is sealed is sealed anew; when that is done the old key is overwritten, and \
      backups that were made before open nowhere, unless the key is in them. When it is cut short everything still \
      opens; call it again, and it goes on where it was.

      EXAMPLES
        kith rotate-key
        kith rotate-key --product milo
      """)

  @OptionGroup var product: ProductOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let kept = try KeptProduct.find(product, Surroundings.current)
    let rotation = try kept.stores.rotateKey()
    let resealed = rotation.resealed.sorted { $0.key < $1.key }
    let unreadable = rotation.unreadable.sorted { $0.key < $1.key }
    if output.json {
      func counts(_ counts: [(key: String, value: Int)]) -> JSONValue {
        .object(JSONObject(counts.map { ($0.key, .string(String($0.value))) }))
      }
      let json: JSONValue = [
        "isResumed": .bool(rotation.isResumed), "resealed": counts(resealed),
        "unreadable": counts(unreadable),
      ]
      try Output.line(json.text(pretty: true))
      return
    }
    if rotation.isResumed { try Output.line("Went on with a change that was cut short.") }
    for (worker, count) in resealed {
      try Output.line("\(worker): \(count) \(count == 1 ? "value" : "values") sealed anew")
    }
    for (worker, count) in unreadable {
      try Output.line(
        "\(worker): \(count) \(count == 1 ? "value" : "values") that no key opens, and did not before"
      )
    }
    try Output.line("A new key seals; the old one is destroyed.")
  }
}
