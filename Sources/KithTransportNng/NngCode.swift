import CNng
import KithRPC

/// A result of nng: 0 or one of its `NNG_E...` numbers.
struct NngCode: Equatable {
  var rawValue: Int32

  static let ok = NngCode(rawValue: 0)
  /// `NNG_ECONNREFUSED`
  static let connectionRefused = NngCode(NNG_ECONNREFUSED)
  /// `NNG_ECONNSHUT`
  static let connectionShut = NngCode(NNG_ECONNSHUT)
  /// `NNG_ECLOSED`
  static let closed = NngCode(NNG_ECLOSED)
  /// `NNG_ECANCELED`
  static let cancelled = NngCode(NNG_ECANCELED)
  /// `NNG_ENOENT`
  static let notFound = NngCode(NNG_ENOENT)
  /// `NNG_EADDRINUSE`
  static let addressInUse = NngCode(NNG_EADDRINUSE)
  /// `NNG_EPERM`
  static let permission = NngCode(NNG_EPERM)

  /// `NNG_EPEERAUTH`
  static let peerAuthentication = NngCode(NNG_EPEERAUTH)
  /// `NNG_ECRYPTO`
  static let cryptography = NngCode(NNG_ECRYPTO)

  init(rawValue: Int32) { self.rawValue = rawValue }

  private init(_ code: nng_errno_enum) { self.rawValue = Int32(bitPattern: code.rawValue) }

  /// nng's own words for it.
  var text: String { String(cString: nng_strerror(rawValue)) }

  /// Runs a call of nng and turns a failure into UNAVAILABLE that says what could not be done.
  static func check(_ what: @autoclosure () -> String, _ call: () -> Int32) throws(RPCError) {
    let code = NngCode(rawValue: call())
    guard code != .ok else { return }
    throw RPCError(.unavailable, "\(what()): \(code.text)")
  }
}
