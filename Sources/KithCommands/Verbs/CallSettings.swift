import KithAccess
import KithRPC

/// The options of Kith's own that every call on the command line takes.
struct CallSettings: Equatable {
  /// Which product; `nil` for the one that runs.
  var product: String?
  /// One folder for everything; `nil` for the XDG folders.
  var root: String?
  /// How long the call may take, when that was said.
  var timeout: Duration?
  /// What names the caller's intent, so that a repeated call is carried out once; `nil` for none.
  var idempotencyKey: IdempotencyKey?
  /// In whose name the call is made; `nil` for the product's own.
  var user: UserID?
  /// Whether the answer is written as JSON.
  var isJSON = false

  /// How long whatever comes before the call may take.
  var timeLimit: Duration { timeout ?? Self.standardTimeout }

  /// How long a call of one answer may take unless told.
  static let standardTimeout = Duration.seconds(30)
}
