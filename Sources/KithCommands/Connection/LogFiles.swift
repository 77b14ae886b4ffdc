import Glibc
import HostContract
import KithJSON
import KithManifest
import KithTerminal

/// The logs of a product whose host does not run, from the files that the host left.
///
/// A log is `NAME.log` and older ones `NAME.log.1`, `NAME.log.2`, ..., each line a JSON object. A
/// line that cannot be read, as one that a full disk cut short, is left out.
struct LogFiles {
  /// Where the product's files are.
  let places: ProductPlaces
  /// Whose logs there are: workers, and `kithd`.
  let names: [String]

  /// The logs in these places; `nil` when there are none.
  init?(_ places: ProductPlaces) {
    let suffix = ".log"
    let names = Folder.names(in: places.logsDirectory).filter { $0.hasSuffix(suffix) }
      .map { String($0.dropLast(suffix.count)) }
    guard !names.isEmpty else { return nil }
    self.places = places
    self.names = names
  }

  /// The logs of the product that is meant: the one that is named, by `--product` or
  /// `KITH_PRODUCT`; else the one in `root`; else the only one that has logs, or the only one that
  /// has those of `workers`.
  /// - Returns: `nil` when there are no logs.
  /// - Throws: ``CommandFailure`` with exit code 64 when several products might be meant.
  static func find(
    product: String?, root: String?, workers: [String], environment: [String: String]
  ) throws -> LogFiles? {
    let root = try root.map { path throws(CommandFailure) in
      try Surroundings.folder(path, option: "--root")
    }
    let variable = environment["KITH_PRODUCT"].flatMap { $0.isEmpty ? nil : $0 }
    if let product = product ?? variable {
      return LogFiles(try ProductPlaces(product: product, root: root, environment: environment))
    }
    // One root holds one product; its name is not needed to find the files.
    if let root {
      return LogFiles(try ProductPlaces(product: "unnamed", root: root, environment: environment))
    }
    let all = ProductFolders(environment: environment).names
      .compactMap { try? ProductPlaces(product: $0, environment: environment) }
      .compactMap { LogFiles($0) }
    if all.count <= 1 { return all.first }
    let meant = all.filter { !workers.isEmpty && Set($0.names).isSuperset(of: workers) }
    guard meant.count == 1 else {
      throw CommandFailure(
        .usage,
        "no host is running, and several products have logs: "
          + "\(all.map(\.places.product).joined(separator: ", ")); name one with --product NAME "
          + "or KITH_PRODUCT=NAME")
    }
    return meant[0]
  }

  /// The last lines of a log, oldest first.
  /// - Throws: ``CommandFailure`` when there is no such log, or it cannot be read.
  func last(
    _ count: Int, of name: String, minimumLevel: LogLevel
  ) throws(CommandFailure) -> [LogLine] {
    guard names.contains(name) else {
      let shown = SafeText.line(String(name.prefix(60)))
      let hint =
        nearestName(to: name, among: names).map { "did you mean '\($0)'?" }
        ?? "there are those of \(names.joined(separator: ", "))"
      throw CommandFailure(
        .usage, "there is no log of '\(shown)' in \(places.logsDirectory); \(hint)")
    }
    var lines: [LogLine] = []
    var path = places.logFile(worker: name)
    var older = 0
    while lines.count < count, access(path, F_OK) == 0 {
      let bytes = try SystemValueReader().bytes(ofFile: path)
      for line in bytes.split(separator: UInt8(ascii: "\n")).reversed() {
        guard lines.count < count else { break }
        guard let line = self.line(line, of: name), line.level >= minimumLevel else { continue }
        lines.append(line)
      }
      older += 1
      path = "\(places.logFile(worker: name)).\(older)"
    }
    return lines.reversed()
  }

  /// A line of a file; `nil` for the first one, which says where the file begins, and for what is
  /// none.
  private func line(_ encoded: ArraySlice<UInt8>, of name: String) -> LogLine? {
    guard let value = try? JSONValue(parsing: Array(encoded)),
      let at = value["at_ms"]?.integerValue,
      let text = value["text"]?.stringValue
    else { return nil }
    let stream = LogStream.allCases.first {
      $0.name?.lowercased() == value["stream"]?.stringValue
    }
    let fields = value["fields"]?.objectValue?.members ?? []
    return LogLine(
      atMs: at, generation: value["generation"]?.unsignedValue ?? 0,
      stream: stream ?? .unspecified, text: text, name: name,
      level: LogLevel.known.first { $0.word == value["level"]?.stringValue } ?? .unspecified,
      call: value["call"]?.stringValue ?? "",
      fields: Dictionary(
        fields.map { ($0.name, $0.value.stringValue ?? "") },
        uniquingKeysWith: { first, _ in first }))
  }
}
