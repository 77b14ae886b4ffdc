import KithVerbs

/// What is known of products and workers while a command line is completed. Whatever cannot be
/// found out counts as none.
protocol CompletionSource: Sendable {
  /// The products that could be started.
  func products() async -> [String]
  /// The products that run.
  func runningProducts() async -> [String]
  /// The workers of the product that is meant, or of all that run.
  func workers(_ place: CallSettings) async -> [String]
  /// What a worker can be asked; `nil` when it does not answer.
  func contracts(of worker: String, _ place: CallSettings) async -> WorkerContracts?
}
