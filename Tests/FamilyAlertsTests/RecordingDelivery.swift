import DeliveryContract
import KithRPC
import Synchronization

/// The delivery contract with answers that a test scripts. It keeps the promises of the contract: a
/// message that was handed over is answered as it stands, and nothing is sent.
final class RecordingDelivery: DeliveryHandler {
  /// What a provider does with a message.
  enum Answer: Sendable {
    case accepted
    case refused(FailureClass)
    case later(FailureClass)
    /// It may have been taken; with true it was.
    case unknown(Bool)
    /// The worker is away.
    case dead
  }

  private struct State {
    var sent: [SendRequest] = []
    var calls: [SendRequest] = []
    var handedOver: Set<String> = []
    var script: @Sendable (SendRequest) -> Answer = { _ in .accepted }
    var gates: [CheckedContinuation<Void, Never>] = []
    var isHeld = false
  }

  private let state = Mutex(State())

  /// What reached a provider.
  var sent: [SendRequest] { state.withLock(\.sent) }
  /// All calls.
  var calls: [SendRequest] { state.withLock(\.calls) }

  /// Answers by this from now on.
  func answer(_ script: @escaping @Sendable (SendRequest) -> Answer) {
    state.withLock { $0.script = script }
  }

  /// Lets calls wait until they are released.
  func hold() { state.withLock { $0.isHeld = true } }

  func release() {
    let gates = state.withLock { state in
      state.isHeld = false
      defer { state.gates = [] }
      return state.gates
    }
    for gate in gates { gate.resume() }
  }

  private func pass() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if state.isHeld { state.gates.append(continuation) }
        return !state.isHeld
      }
      if isOpen { continuation.resume() }
    }
  }

  func send(_ request: SendRequest, context: CallContext) async throws -> SendResponse {
    let script = state.withLock { state in
      state.calls.append(request)
      return state.script
    }
    await pass()
    var message = Message(
      id: request.dedupeKey, dedupeKey: request.dedupeKey, userId: request.userId,
      channel: request.address?.channel ?? .unspecified)
    let isKnown = state.withLock { $0.handedOver.contains(request.dedupeKey) }
    switch isKnown ? .accepted : script(request) {
    case .accepted:
      if !isKnown { take(request) }
      message.state = .handedOver
    case .refused(let failure): (message.state, message.failure) = (.refused, failure)
    case .later(let failure): (message.state, message.failure) = (.waiting, failure)
    case .unknown(let isTaken):
      if isTaken { take(request) }
      message.state = .unknown
    case .dead: throw RPCError(.unavailable, "the worker is away")
    }
    return SendResponse(message: message, isRepeat: isKnown)
  }

  private func take(_ request: SendRequest) {
    state.withLock { state in
      state.sent.append(request)
      state.handedOver.insert(request.dedupeKey)
    }
  }

  private func none<Answer>() throws -> Answer { throw RPCError(.unimplemented, "not scripted") }

  func cancel(_ request: CancelRequest, context: CallContext) async throws -> Message {
    try none()
  }
  func getMessage(_ request: GetMessageRequest, context: CallContext) async throws -> Message {
    try none()
  }
  func listMessages(
    _ request: ListMessagesRequest, context: CallContext
  ) async throws -> ListMessagesResponse { try none() }
  func registerAddress(
    _ request: RegisterAddressRequest, context: CallContext
  ) async throws -> RegisteredAddress { try none() }
  func removeAddress(
    _ request: RemoveAddressRequest, context: CallContext
  ) async throws -> RemoveAddressResponse { try none() }
  func listAddresses(
    _ request: ListAddressesRequest, context: CallContext
  ) async throws -> ListAddressesResponse { try none() }
  func handleCallback(
    _ request: HandleCallbackRequest, context: CallContext
  ) async throws -> HandleCallbackResponse { try none() }
  func listChannels(
    _ request: ListChannelsRequest, context: CallContext
  ) async throws -> ListChannelsResponse { try none() }
}
