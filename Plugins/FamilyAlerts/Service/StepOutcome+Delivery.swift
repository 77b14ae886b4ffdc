import DeliveryContract
import FamilyAlertsDomain
import KithRPC

extension StepOutcome {
  /// What became of a message, as the delivery worker says.
  init(_ state: DeliveryState, _ failure: FailureClass) {
    let reason = failure.words
    switch state {
    case .handedOver, .delivered: self = .accepted
    case .refused: self = .refused(reason)
    case .expired: self = .refused("expired")
    case .cancelled: self = .refused("cancelled")
    case .waiting: self = .later(reason)
    default: self = .unknown
    }
  }

  /// What is known of a message whose call failed.
  init(_ error: RPCError) {
    if error.execution == .notStarted {
      self = .later("the delivery worker is away")
    } else {
      switch error.code {
      case .invalidArgument, .outOfRange, .unimplemented:
        self = .refused("the delivery worker refuses it: \(error.code.name)")
      case .permissionDenied, .unauthenticated, .failedPrecondition, .resourceExhausted, .notFound:
        self = .later("the delivery worker refuses it now: \(error.code.name)")
      default: self = .unknown
      }
    }
  }
}

extension FailureClass {
  /// The class in words of a log, without what a provider wrote: `address_gone`.
  var words: String { self == .unspecified ? "refused" : name?.lowercased() ?? "refused" }
}
