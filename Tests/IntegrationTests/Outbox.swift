import Foundation
import KithManifest
import KithTesting
import Synchronization

/// The mails that the delivery worker has put into its folder, in no order.
final class Outbox: Sendable {
  /// A mail.
  struct Mail {
    var recipient: String
    var subject: String
    var text: String

    /// The token by which its reader acknowledges; empty without one.
    var token: String {
      let marks = ["/a/", "code "]
      for mark in marks {
        guard let begin = text.firstRange(of: mark)?.upperBound else { continue }
        let token = text[begin...].prefix { $0.isLetter || $0.isNumber || "-_".contains($0) }
        if token.count > 40 { return String(token) }
      }
      return ""
    }
  }

  private let folder: String
  /// What was read before, by file: a file never changes its content.
  private let known = Mutex<[String: Mail]>([:])

  init(of product: RunningProduct) {
    folder = product.places.stateDirectory(worker: "delivery") + "/outbox"
  }

  /// The mails so far.
  func mails() -> [Mail] {
    let names = TemporaryFolder.names(in: folder).filter { $0.hasSuffix(".eml") }
    return known.withLock { known in
      names.sorted().compactMap { name in
        if known[name] == nil {
          known[name] = TemporaryFolder.text(of: "\(folder)/\(name)").map(Self.mail)
        }
        return known[name]
      }
    }
  }

  /// As far as the mails here need it: one text in base64 behind the headers.
  private static func mail(_ text: String) -> Mail {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let headers = lines.prefix { !$0.isEmpty }
    func header(_ name: String) -> String {
      String(headers.first { $0.hasPrefix("\(name): ") }?.dropFirst(name.count + 2) ?? "")
    }
    let body = Data(base64Encoded: lines.dropFirst(headers.count).joined()) ?? Data()
    return Mail(
      recipient: header("To"), subject: header("Subject"),
      text: String(decoding: body, as: UTF8.self))
  }
}
