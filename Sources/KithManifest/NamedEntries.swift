/// A mapping of a product whose keys are names: its workers, remote services or alerts.
///
/// `NAME: none` drops what the base of the product has under that name.
struct NamedEntries<Element> {
  private(set) var values: [Element] = []
  private(set) var dropped: [Stated<String>] = []

  /// Reads a mapping; what is wrong is noted and left out.
  /// - Parameters:
  ///   - form: what an error expects in the place of the mapping.
  ///   - name: the key in an error: `'workers'`.
  init(
    _ value: ManifestValue?, _ form: String, _ name: String, _ findings: Findings,
    read: (ManifestValue.Entry) -> Element?
  ) {
    guard let value, value.content != .null else { return }
    guard case .mapping(let entries) = value.content else {
      findings.add(
        ManifestError(
          .wrongType, "\(name) is \(value.kindDescription)", at: value.location, expected: form))
      return
    }
    for entry in entries {
      if case .scalar("none", isPlain: true) = entry.value.content {
        dropped.append(Stated(value: entry.key, location: entry.location))
      } else if let element = read(entry) {
        values.append(element)
      }
    }
  }
}

extension ProductManifest {
  /// The names that a product drops of its base.
  struct Dropped: Sendable, Equatable {
    var workers: [Stated<String>] = []
    var remoteServices: [Stated<String>] = []
    var alerts: [Stated<String>] = []

    /// The names without their places.
    var names: (workers: Set<String>, remoteServices: Set<String>, alerts: Set<String>) {
      (
        Set(workers.map(\.value)), Set(remoteServices.map(\.value)), Set(alerts.map(\.value))
      )
    }

    /// Notes each of them: there is nothing to drop it from.
    func refuse(because reason: String, _ findings: Findings) {
      for name in workers + remoteServices + alerts {
        findings.add(
          ManifestError(
            .outOfRange, "'\(name.value)' is dropped, and \(reason)", at: name.location,
            expected: "'extends' in this file, or \(name.value): {}"))
      }
    }

    /// Notes those that a base does not have.
    func refuse(whatLacks base: ProductManifest, _ findings: Findings) {
      let groups = [
        (workers, base.workers.map(\.name), "worker"),
        (remoteServices, base.remoteServices.map(\.service), "remote service"),
        (alerts, base.alerts.map(\.name), "alert"),
      ]
      for (dropped, known, kind) in groups {
        for name in dropped where !known.contains(name.value) {
          findings.add(
            ManifestError(
              .outOfRange, "\(base.name) has no \(kind) '\(name.value.prefix(80))' to drop",
              at: name.location,
              expected: known.isEmpty
                ? "no \(kind) to be dropped" : "one of \(known.joined(separator: ", "))",
              suggestion: nearestName(to: name.value, among: known)))
        }
      }
    }
  }
}
