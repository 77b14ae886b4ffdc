package import KithAccess
package import KithRPC

/// The options of Kith's own that every call on the command line takes.
package struct CallSettings: Equatable {
  /// Which product; `nil` for the one that runs.
  package var product: String?
  /// One folder for everything; `nil` for the XDG folders.
  package var root: String?
  /// How long the call may take, when that was said.
  package var timeout: Duration?
  /// What names the caller's intent, so that a repeated call is carried out once; `nil` for none.
  package var idempotencyKey: IdempotencyKey?
  /// In whose name the call is made; `nil` for the product's own.
  package var user: UserID?
  /// Whether the answer is written as JSON.
  package var isJSON = false

  /// How long whatever comes before the call may take.
  package var timeLimit: Duration { timeout ?? Self.standardTimeout }

  /// How long a call of one answer may take unless told.
  package static let standardTimeout = Duration.seconds(30)

  /// Settings; nothing is stated by default.
  package init(
    product: String? = nil, root: String? = nil, timeout: Duration? = nil,
    idempotencyKey: IdempotencyKey? = nil, user: UserID? = nil, isJSON: Bool = false
  ) {
    self.product = product
    self.root = root
    self.timeout = timeout
    self.idempotencyKey = idempotencyKey
    self.user = user
    self.isJSON = isJSON
  }
}
