/// Something that happened to a case and is told to others.
public enum CaseEvent: Sendable, Hashable {
  /// The wearer is asked; contacts are told unless they answer.
  case suspected
  /// Contacts are to be told now.
  case alerted(AlertCause)
  /// The case was closed. `wasAlerted`: contacts had been told.
  case resolved(CaseResolution, wasAlerted: Bool)
}

/// Why contacts are told.
public enum AlertCause: String, Sendable, Hashable, CaseIterable {
  /// The wearer did not answer in time.
  case noAnswer = "no_answer"
  /// The wearer asked for help.
  case needHelp = "need_help"
  /// The device or the wearer was sure from the start.
  case deviceConfirmed = "device_confirmed"
}

/// How a case was closed.
public enum CaseResolution: String, Sendable, Hashable, CaseIterable {
  /// The wearer said that they are well, before anybody was told.
  case wearerOK = "wearer_ok"
  /// The wearer moved as one who is well, before anybody was told.
  case recovered
  /// Somebody closed it after contacts were told.
  case allClear = "all_clear"
  /// Nobody closed it in the time after the alert.
  case expired

  /// Whether a person closed it, so that candidates right after it are the same movement.
  var restsAfterwards: Bool { self == .wearerOK || self == .allClear }
}
