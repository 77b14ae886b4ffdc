import EventsContract
import Glibc
import HostContract
import IdentityContract
import KithIdentity
import KithRPC
import KithTransportNng
import KithWire
import KithWorker
import RemindersContract
import WorkerContract

/// The host and the other workers, by calls: what `kith.callers`, tickets and passes are to keep.
struct BoundaryProbes: Sendable {
  /// A worker that is on its way up is waited for: what is not there refuses nothing.
  private static let patience = CallOptions(timeout: .seconds(20), waitForReady: true)

  private let context: WorkerContext
  private let surroundings: Surroundings

  init(_ context: WorkerContext, _ surroundings: Surroundings) {
    self.context = context
    self.surroundings = surroundings
  }

  /// The probes, in the order of the table in Security.md.
  var all: [Probe] {
    [
      Probe(
        "orders to the host",
        "every method for operators: bare, with its own proof, with made-up ones"
      ) {
        _ in await ordersToTheHost()
      },
      Probe(
        "ways to what it does not require",
        "the address and ticket of a worker, by name and by service"
      ) {
        _ in await waysToOthers()
      },
      Probe(
        "somebody's reminders",
        "as ada, as nobody, as the product: bare, with another's ticket, with made-up ones"
      ) {
        _ in await remindersOfAda()
      },
      Probe(
        "a person's name",
        "to a worker that it may call: by the name alone, with a made-up pass, with one of the host's"
      ) {
        _ in await personsName()
      },
      Probe(
        "orders to other workers", "those of their host: end, configure, take keys, move the clock"
      ) {
        _ in await ordersToWorkers()
      },
      Probe(
        "events of others",
        "subscribe to another's: bare, with another's ticket, with made-up ones"
      ) {
        _ in await eventsOfReminders()
      },
      Probe("another's socket", "remove, rename, replace and join the sockets of host and workers")
      {
        _ in sockets()
      },
      Probe(
        "its own next start",
        "the folder, socket and records of its next incarnation, made before the host makes them"
      ) {
        _ in nextStart()
      },
    ]
  }

  // MARK: Proofs

  /// The host's folder of sockets.
  private var run: String { surroundings.root + "/run" }

  /// Calls with these metadata, whatever the SDK would have shown.
  private func client(_ address: String, _ metadata: Metadata) -> RPCClient {
    RPCClient(connector: Showing(address: address, entries: metadata.entries))
  }

  private struct Showing: Connector {
    let address: String
    let entries: [Metadata.Entry]

    func connect(_ request: ConnectRequest) async throws(RPCError) -> EstablishedConnection {
      var connection = try await NngConnector(address: address).connect(request)
      connection.credentials = { [entries] in entries }
      return connection
    }
  }

  private static func entry(_ key: String, _ bytes: [UInt8]) -> Metadata {
    Metadata([.init(key: key, value: .binary(bytes))])
  }

  private static let madeUp = [UInt8](repeating: 7, count: 32)

  /// What a worker could show to the host.
  private var shownToHost: [(String, Metadata)] {
    var shown: [(String, Metadata)] = [
      ("bare", [:]), ("an empty token", [ProofKeys.operator: ""]),
      ("a made-up token", [ProofKeys.operator: OperatorToken().text]),
      ("its own proof", Metadata(context.proofs)),
    ]
    let sibling = WorkerIdentity(product: context.product, worker: "even", generation: 1)
    if let proof = try? sibling.proof(secret: Self.madeUp) {
      shown.append(("a sibling's name", Self.entry(ProofKeys.worker, proof)))
    }
    if let token = OperatorToken(path: run + "/host/operator.token") {
      shown.append(("the token", [ProofKeys.operator: token.text]))
    }
    return shown
  }

  // MARK: The host

  private func ordersToTheHost() async -> Probe.Outcome {
    var gained: [String] = []
    for (what, metadata) in shownToHost {
      let client = client(context.hostAddress ?? "", metadata)
      defer { client.close() }
      for method in HostMethods.all where method.callers == .operators {
        // An empty request does no harm, or none that the test does not see.
        if let answer = await Self.gain(from: client, method, []) {
          gained.append("\(method.method) \(what): \(answer)")
        }
      }
    }
    return gained.isEmpty
      ? .nothing("refused \(HostMethods.all.count) methods")
      : .gained(gained.joined(separator: ", "))
  }

  private func waysToOthers() async -> Probe.Outcome {
    var gained: [String] = []
    for (what, metadata) in shownToHost {
      let client = client(context.hostAddress ?? "", metadata)
      defer { client.close() }
      for target: ResolveRequest.Target in [
        .worker("reminders"), .service(RemindersMethods.createReminder.service),
      ] {
        let answer = try? await HostClient(client).resolve(
          ResolveRequest(target: target), options: Self.patience)
        if answer != nil { gained.append("\(target) \(what)") }
      }
    }
    return gained.isEmpty ? .nothing("no ticket") : .gained(gained.joined(separator: ", "))
  }

  // MARK: Other workers

  /// The ticket for a worker that the manifest lets it call; what it may do with it is tried
  /// elsewhere.
  private func ticketForEven() async -> ResolveResponse? {
    let client = client(context.hostAddress ?? "", Metadata(context.proofs))
    defer { client.close() }
    return try? await HostClient(client).resolve(
      ResolveRequest(target: .worker("even"), waitForReady: true), options: Self.patience)
  }

  private func madeUpTicket(_ callee: String, _ caller: TicketStatement.Caller) -> [UInt8] {
    let statement = TicketStatement(
      product: context.product, callee: callee, calleeGeneration: 1, caller: caller,
      expiresAtBootMs: .max)
    return (try? TicketKey(secret: Self.madeUp).issue(statement)) ?? []
  }

  private func remindersOfAda() async -> Probe.Outcome {
    var shown: [(String, Metadata)] = [
      ("bare", [:]),
      (
        "as an operator",
        Self.entry(
          ProofKeys.ticket, madeUpTicket("reminders", .operator(OperatorCaller())))
      ),
      ("as the host", Self.entry(ProofKeys.ticket, madeUpTicket("reminders", .host(HostCaller())))),
    ]
    guard let even = await ticketForEven() else { return .gained("no ticket for what it requires") }
    shown.append(("with another's ticket", Self.entry(ProofKeys.ticket, even.ticket)))
    var gained: [String] = []
    for (what, metadata) in shown {
      for user in ["ada", nil] {
        var metadata = metadata
        if let user { metadata.append(user, forKey: CallContext.userKey) }
        let client = client("ipc://\(run)/reminders.1/sock", metadata)
        defer { client.close() }
        for method in [RemindersMethods.listReminders, RemindersMethods.exportCalendar] {
          if let answer = await Self.gain(from: client, method, []) {
            gained.append("\(method.method) \(what) as \(user ?? "nobody"): \(answer)")
          }
        }
      }
    }
    return gained.isEmpty ? .nothing("refused") : .gained(gained.joined(separator: ", "))
  }

  private func eventsOfReminders() async -> Probe.Outcome {
    guard let even = await ticketForEven() else { return .gained("no ticket for what it requires") }
    var gained: [String] = []
    for (what, metadata) in [
      ("bare", [:]), ("with another's ticket", Self.entry(ProofKeys.ticket, even.ticket)),
      (
        "as a follower",
        Self.entry(
          ProofKeys.ticket, madeUpTicket("reminders", .worker(WorkerCaller(name: "even"))))
      ),
    ] as [(String, Metadata)] {
      let client = client("ipc://\(run)/reminders.1/sock", metadata)
      defer { client.close() }
      if let answer = await Self.gain(from: client, EventsMethods.subscribe, []) {
        gained.append("\(what): \(answer)")
      }
    }
    return gained.isEmpty ? .nothing("refused") : .gained(gained.joined(separator: ", "))
  }

  private func personsName() async -> Probe.Outcome {
    guard let even = await ticketForEven() else { return .gained("no ticket for what it requires") }
    var gained: [String] = []
    let pass = try? PassKey().issue(
      PassStatement(product: context.product, userId: "ada", expiresAtBootMs: .max))
    for (what, pass) in [("by the name alone", [UInt8]?.none), ("with a made-up pass", pass)] {
      var metadata = Self.entry(ProofKeys.ticket, even.ticket)
      metadata.append("ada", forKey: CallContext.userKey)
      if let pass { metadata.append(binary: pass, forKey: ProofKeys.pass) }
      let client = client(even.address, metadata)
      defer { client.close() }
      let append = MethodDescriptor(service: "kith.testing.v1.Once", method: "Append")
      if let answer = await Self.gain(from: client, append, []) {
        gained.append("\(what): \(answer)")
      }
    }
    let host = client(context.hostAddress ?? "", Metadata(context.proofs))
    defer { host.close() }
    let issued = try? await HostClient(host).issuePass(
      IssuePassRequest(userId: "ada"), options: Self.patience)
    if issued != nil { gained.append("a pass") }
    return gained.isEmpty ? .nothing("refused") : .gained(gained.joined(separator: ", "))
  }

  private func ordersToWorkers() async -> Probe.Outcome {
    guard let even = await ticketForEven() else { return .gained("no ticket for what it requires") }
    var gained: [String] = []
    for (what, metadata) in [
      ("bare", [:]), ("with its ticket", Self.entry(ProofKeys.ticket, even.ticket)),
      ("as the host", Self.entry(ProofKeys.ticket, madeUpTicket("even", .host(HostCaller())))),
    ] as [(String, Metadata)] {
      let client = client(even.address, metadata)
      defer { client.close() }
      for method in LifecycleMethods.all where method.callers == .host {
        if let answer = await Self.gain(from: client, method, []) {
          gained.append("\(method.method) \(what): \(answer)")
        }
      }
    }
    return gained.isEmpty ? .nothing("refused") : .gained(gained.joined(separator: ", "))
  }

  /// What a call answers that was let in; nil for one that was refused for who made it.
  private static func gain(
    from client: RPCClient, _ method: MethodDescriptor, _ request: [UInt8]
  ) async -> String? {
    do throws(RPCError) {
      _ = try await client.unary(method, encodedRequest: request, options: patience)
      return "answered"
    } catch {
      return [.unauthenticated, .permissionDenied].contains(error.code) ? nil : "\(error.code)"
    }
  }

  // MARK: Places

  private func sockets() -> Probe.Outcome {
    let own = "\(run)/\(context.worker).\(context.generation)"
    var gained: [String] = []
    func attempt(_ what: String, _ result: Int32) {
      if result == 0 { gained.append(what) }
    }
    for place in ["\(run)/host.sock", "\(run)/even.1/sock", "\(run)/reminders.1/sock"] {
      // To its own name: nothing would change.
      attempt("rename \(place)", rename(place, place))
      attempt("link \(place)", link(place, own + "/other"))
      attempt("chmod \(place)", chmod(place, 0o600))
    }
    for place in ["\(run)/host2.sock", "\(run)/even.1/sock2", "\(run)/even.2"] {
      attempt("bind \(place)", Self.bind(place))
      attempt("link to \(place)", symlink(own, place))
      attempt("folder \(place)", mkdir(place, 0o700))
    }
    for place in ["\(run)/host/even.1.process", "\(run)/host", "\(run)/even.1"] {
      if !names(in: place).isEmpty || text(of: place) != nil { gained.append("read \(place)") }
    }
    return gained.isEmpty ? .nothing("refused") : .gained(gained.joined(separator: ", "))
  }

  private func nextStart() -> Probe.Outcome {
    let next = "\(context.worker).\(context.generation + 1)"
    var gained: [String] = []
    for place in ["\(run)/\(next)", "\(run)/host/\(next).process", "\(run)/\(next)/sock"] {
      for (what, result) in [
        ("link", symlink(surroundings.bait, place)), ("folder", mkdir(place, 0o700)),
        ("socket", Self.bind(place)), ("file", open(place, O_CREAT | O_WRONLY, 0o600)),
        ("pipe", mkfifo(place, 0o600)),
      ] where result >= 0 {
        gained.append("\(what) at \(place)")
        unlink(place)
        rmdir(place)
      }
    }
    // Its state folder in another place, with a link to what it wants where the host will look for
    // it.
    let away = surroundings.state + ".away"
    if rename(surroundings.state, away) == 0 {
      gained.append("its state folder moved")
      rename(away, surroundings.state)
    }
    return gained.isEmpty ? .nothing("refused") : .gained(gained.joined(separator: ", "))
  }

  private static func bind(_ path: String) -> Int32 {
    let listener = NngListener(address: "ipc://\(path)")
    do throws(RPCError) {
      try listener.start { $0.close() }
      listener.close()
      return 0
    } catch {
      return -1
    }
  }
}
