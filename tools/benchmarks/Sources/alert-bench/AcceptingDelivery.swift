import DeliveryContract
import KithRPC
import Synchronization

/// A delivery worker that hands everything over at once.
final class AcceptingDelivery: DeliveryHandler {
  private let sent = Atomic<Int>(0)

  /// How many messages were handed over.
  var count: Int { sent.load(ordering: .relaxed) }

  func send(_ request: SendRequest, context: CallContext) async throws -> SendResponse {
    sent.add(1, ordering: .relaxed)
    return SendResponse(message: Message(dedupeKey: request.dedupeKey, state: .handedOver))
  }

  private func none<Answer>() throws -> Answer {
    throw RPCError(.unimplemented, "the benchmark does not need it")
  }

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
