import Crypto
import FamilyAlertsDomain
import FoundationEssentials

/// The name of a message, for ever: another attempt of the same step has the same one.
enum DeliveryKey {
  /// SHA-256 of incident, step, contact, channel with its address, and generation, in hexadecimal
  /// digits.
  static func text(incident: String, step: LadderStep) -> String {
    let words =
      "\(incident)|\(step.number)|\(step.contact)|\(step.route.channel.rawValue)/"
      + "\(step.route.address)|\(step.generation)"
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: SHA256.hash(data: Array(words.utf8)).flatMap {
        [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
      }, as: UTF8.self)
  }
}
