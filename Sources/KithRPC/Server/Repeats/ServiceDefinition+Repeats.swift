import KithWire

extension ServiceDefinition {
  /// The same service, which carries out a call under an idempotency key once and answers its repeats from a record.
  ///
  /// It concerns the unary methods that the contract calls neither idempotent nor free of side effects; the others may be
  /// repeated as they are. A call without a key is carried out as ever.
  ///
  /// Before the handler runs, the record holds that the call was begun; before the caller is answered, it holds the
  /// answer. A repeat that comes while the first attempt runs waits for it. What is answered is what the handler answered,
  /// an error included, except that the record forgets an attempt that ended CANCELLED, DEADLINE_EXCEEDED, UNAVAILABLE,
  /// RESOURCE_EXHAUSTED or ABORTED, so that a repeat is carried out: a handler throws one of these only when it has changed
  /// nothing. When a process dies between a handler's change and its answer, a repeat is answered ABORTED with the detail
  /// that the call may have been carried out, and never carried out again.
  public func answeringRepeats(from record: any AnswerRecord) -> ServiceDefinition {
    let turns = KeyedTurns<RepeatKey>()
    return ServiceDefinition(
      name: name, descriptorSet: { self.descriptorSet },
      methods: implementations.map { $0.answeringRepeats(from: record, turns) })
  }
}

extension ServiceDefinition {
  /// The same service, whose handlers themselves see to it that a call under an idempotency key is carried out once: what
  /// they change and what they answer is one transaction of their store.
  public func keepingOwnRecord() -> ServiceDefinition {
    ServiceDefinition(
      name: name, descriptorSet: { self.descriptorSet },
      methods: implementations.map {
        MethodImplementation(descriptor: $0.descriptor, body: $0.body, recordsAnswers: true)
      })
  }
}

/// What calls have in common that are repeats of each other.
struct RepeatKey: Hashable {
  var method: String
  var caller: String
  var key: String
}

extension MethodImplementation {
  fileprivate func answeringRepeats(
    from record: any AnswerRecord, _ turns: KeyedTurns<RepeatKey>
  ) -> MethodImplementation {
    guard case .unary(let body) = body, descriptor.idempotency == .unknown else { return self }
    return MethodImplementation(
      descriptor: descriptor,
      body: .unary { request, context, headroom in
        guard let key = context.idempotencyKey else {
          return try await body(request, context, headroom)
        }
        let call = context.keyed(key, request: Array(request))
        return try await turns.run(
          RepeatKey(method: call.method, caller: call.caller, key: call.key)
        ) {
          switch try await record.beginning(call) {
          case .none: break
          case .answered(let answer):
            return try RecordedAnswer(decoding: answer).replay(context, headroom: headroom)
          case .unfinished: throw CallRefusal(error: .unfinishedAttempt)
          case .otherRequest: throw CallRefusal(error: .keyOfAnotherRequest)
          }
          do {
            let answer = try await body(request, context, headroom)
            await record.note(.answer(RecordedAnswer.encoded(answer, context)), of: call)
            return answer
          } catch {
            let seen = RPCError(ofHandler: error)
            await record.note(
              seen.saysNothingChanged ? .nothing : .answer(RecordedAnswer.encoded(seen, context)),
              of: call)
            throw error
          }
        }
      }, recordsAnswers: true)
  }
}

/// What is noted of a call that ended.
private enum Note {
  case answer([UInt8])
  case nothing
}

extension AnswerRecord {
  /// Begins; that the record cannot be written is told as what it means for the call.
  fileprivate func beginning(_ call: KeyedCall) async throws(CallRefusal) -> PriorAttempt {
    do {
      return try await begin(call)
    } catch {
      throw CallRefusal(
        error: RPCError(
          .unavailable,
          "the call was not begun, because the record of answers cannot be written; "
            + "see the worker's log", details: CallExecution.notStarted.details, cause: error))
    }
  }

  /// Notes an end. When that fails the record still holds that the call was begun: its caller gets the answer, which is
  /// true, and a repeat is told that the call may have been carried out.
  ///
  /// In a task of its own: the caller may have given up, and what was done is noted all the same.
  fileprivate func note(_ note: Note, of call: KeyedCall) async {
    await Task {
      switch note {
      case .answer(let answer): try? await finish(call, answer: answer)
      case .nothing: try? await forget(call)
      }
    }.value
  }
}

extension CallContext {
  /// The call as a record of answers knows it; nil when it came without an idempotency key.
  /// - Parameter request: the request, encoded.
  public func keyedCall(_ request: [UInt8]) -> KeyedCall? {
    idempotencyKey.map { keyed($0, request: request) }
  }

  fileprivate func keyed(_ key: IdempotencyKey, request: [UInt8]) -> KeyedCall {
    KeyedCall(method: method.fullName, caller: keyScope, key: key.text, request: request)
  }

  /// Which callers' keys are the same keys: those of one process's user, in the name of one person.
  private var keyScope: String {
    let process = peer.uid.map { "uid \($0)" } ?? (peer.hasCertificate ? "certificate" : "")
    let people = metadata.values(forKey: Self.userKey).map { value in
      if case .text(let text) = value { " for \(text)" } else { " for ?" }
    }
    return process + people.joined()
  }
}

extension RPCError {
  /// INVALID_ARGUMENT: an idempotency key was used for another request.
  public static var idempotencyKeyOfAnotherRequest: RPCError { .keyOfAnotherRequest }
}

extension RPCError {
  /// Whether a handler says by this that it has changed nothing, and that the call may be made again.
  fileprivate var saysNothingChanged: Bool {
    [.cancelled, .deadlineExceeded, .unavailable, .resourceExhausted, .aborted].contains(code)
  }

  fileprivate static let unfinishedAttempt = RPCError(
    .aborted,
    "a call under this idempotency key was begun and its end was not recorded: it may have been "
      + "carried out. Look what was done before you call again under another key",
    details: CallExecution.mayHaveRun.details)

  fileprivate static let keyOfAnotherRequest = RPCError(
    .invalidArgument,
    "this idempotency key was used for another request; each request needs a key of its own")
}
