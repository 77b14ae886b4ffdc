import Synchronization

/// Transfers over HTTPS and SMTP, by libcurl on threads of their own.
///
///     let transfers = try Transfers(TransferSettings())
///     let answer = try await transfers.run(HTTPTransfer(post: url, body: body))
///     transfers.close()
///
/// Connections are kept and used again. Certificates are always checked, redirects never followed.
/// Safe to use from any task.
///
/// All requests share one thread. Mails have ``mailThreads`` others, each of which carries one at a
/// time: libcurl waits for a mail server's last word without letting go of its thread (`smtp_done`
/// of 7.88), and a server that hangs is to hold up neither requests nor all other mails.
public final class Transfers: Sendable {
  /// The threads of mails.
  public static let mailThreads = 4

  fileprivate struct State {
    var nextNumber: UInt64 = 1
    var requests: TransferThread?
    var mails: [TransferThread] = []
    /// How many mails each of these threads has.
    var loads: [Int] = []
    var isClosed = false
  }

  private let settings: TransferSettings
  private let state = Mutex(State())

  /// Transfers. Threads are started when they are first needed.
  public init(_ settings: TransferSettings = TransferSettings()) { self.settings = settings }

  /// Ends the threads; transfers that are under way fail with ``TransferError/Code/cancelled``. To
  /// be called once all is done: without it the threads stay.
  public func close() {
    let threads = state.withLock { state in
      state.isClosed = true
      return state.mails + [state.requests].compactMap(\.self)
    }
    for thread in threads { thread.close() }
  }

  /// Makes a request, and answers whatever status the server does.
  /// - Throws: ``TransferError`` when there is no answer, also when the task is cancelled.
  public func run(_ request: HTTPTransfer) async throws(TransferError) -> TransferAnswer {
    let (thread, number) = try state.withLock { state throws(TransferError) in
      if let thread = state.requests { return (thread, state.number()) }
      let thread = try state.start(settings)
      state.requests = thread
      return (thread, state.number())
    }
    return try await thread.run(Transfer(request, number: number, settings: settings))
  }

  /// Hands a message to a mail server, and answers its last code and words, a refusal included.
  /// - Throws: ``TransferError`` when there is no answer, also when the task is cancelled.
  public func run(_ mail: MailTransfer) async throws(TransferError) -> TransferAnswer {
    let (thread, place, number) = try state.withLock { state throws(TransferError) in
      // The first that is free, so that connections are used again.
      var place = state.loads.firstIndex(of: 0)
      if place == nil, state.mails.count < Self.mailThreads {
        state.mails.append(try state.start(settings))
        state.loads.append(0)
        place = state.mails.count - 1
      }
      let chosen = place ?? state.loads.indices.min { state.loads[$0] < state.loads[$1] } ?? 0
      state.loads[chosen] += 1
      return (state.mails[chosen], chosen, state.number())
    }
    defer { state.withLock { $0.loads[place] -= 1 } }
    return try await thread.run(Transfer(mail, number: number, settings: settings))
  }
}

extension Transfers.State {
  fileprivate mutating func number() -> UInt64 {
    defer { nextNumber += 1 }
    return nextNumber
  }

  fileprivate func start(_ settings: TransferSettings) throws(TransferError) -> TransferThread {
    guard !isClosed else { throw TransferError(.cancelled, "the transfers are closed") }
    return try TransferThread(settings)
  }
}
