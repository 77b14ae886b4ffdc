import DeliveryContract
import DeliveryDomain

extension MessageChannel {
  /// The channel of a contract's value; nil for one that names none.
  init?(_ channel: Channel) {
    switch channel {
    case .push: self = .push
    case .sms: self = .sms
    case .email: self = .email
    case .webhook: self = .webhook
    case .call: self = .call
    default: return nil
    }
  }
}

extension Channel {
  init(_ channel: MessageChannel) {
    self =
      switch channel {
      case .push: .push
      case .sms: .sms
      case .email: .email
      case .webhook: .webhook
      case .call: .call
      }
  }
}

extension Urgency {
  init?(_ priority: Priority) {
    switch priority {
    case .low: self = .low
    case .unspecified, .normal: self = .normal
    case .safety: self = .safety
    default: return nil
    }
  }
}

extension OutboxEntry.Retries {
  init?(_ retry: Retry) {
    switch retry {
    case .unspecified, .byWorker: self = .byWorker
    case .bySender: self = .bySender
    default: return nil
    }
  }
}

extension DeliveryState {
  /// An attempt that is under way is one that is waited for.
  init(_ state: OutboxState) {
    self =
      switch state {
      case .waiting, .attempting: .waiting
      case .handedOver: .handedOver
      case .delivered: .delivered
      case .refused: .refused
      case .unknown: .unknown
      case .expired: .expired
      case .cancelled: .cancelled
      }
  }

  /// The states of the outbox that it shows; all for none.
  var stored: [OutboxState] {
    self == .unspecified ? OutboxState.allCases : OutboxState.allCases.filter { Self($0) == self }
  }
}

extension FailureClass {
  init(_ kind: FailureKind) {
    self =
      switch kind {
      case .addressGone: .addressGone
      case .optedOut: .optedOut
      case .unsuitable: .unsuitable
      case .malformed: .malformed
      case .misconfigured: .misconfigured
      case .rateLimited: .rateLimited
      case .unavailable: .unavailable
      case .filtered: .filtered
      case .noProvider: .noProvider
      }
  }
}
