/// What opens a case or joins it.
public enum CaseTrigger: Sendable, Hashable, CaseIterable {
  /// It may have been a fall: the wearer is asked.
  case candidate
  /// The device or the wearer is sure: contacts are told at once.
  case confirmed
  /// The wearer asks for help: contacts are told at once.
  case help

  /// Why contacts are told at once; nil where the wearer is asked first.
  var cause: AlertCause? {
    switch self {
    case .candidate: nil
    case .confirmed: .deviceConfirmed
    case .help: .needHelp
    }
  }
}
