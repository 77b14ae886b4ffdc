import KithJSON
import KithRPC
import KithReflection
import Synchronization
import KithTerminal
import KithVerbs

/// A streaming call on the command line: messages go out as lines come in, and answers are handed
/// over as they arrive.
struct CallStream {
  let call: Call
  let options: CallOptions

  /// Makes the call; returns when the worker has ended it.
  ///
  /// - Throws: what ended the call; ``CommandFailure`` that names the line when one of standard
  ///   input is no message, which cancels the call.
  func run(_ requests: CallRequests, _ answered: ([UInt8]) throws -> Void) async throws {
    switch requests {
    case .one(let request) where !call.method.isClientStreaming:
      let stream = try await call.client.encodedStream(
        call.descriptor, encodedRequest: request.encoded(), options: options)
      while let answer = try await stream.read() { try answered(answer) }
    case .one(let request):
      let stream = try await call.client.encodedStream(call.descriptor, options: options)
      try await stream.write(request.encoded())
      stream.finish()
      while let answer = try await stream.read() { try answered(answer) }
    case .lines:
      let stream = try await call.client.encodedStream(call.descriptor, options: options)
      let failure = Mutex<(any Error)?>(nil)
      // Not a child: it may wait for a line that nobody types, and the call may be over all the
      // same.
      let writer = Task {
        do {
          try await send(to: stream)
        } catch let error as RPCError {
          // The reader is told what ended the call.
          _ = error
        } catch {
          failure.withLock { $0 = error }
          stream.cancel()
        }
      }
      defer { writer.cancel() }
      do {
        while let answer = try await stream.read() { try answered(answer) }
      } catch {
        throw failure.withLock { $0 } ?? error
      }
    }
  }

  private func send(to stream: EncodedCall) async throws {
    let lines = StandardInputLines()
    while let line = try await lines.next() {
      guard line.text.contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") })
      else { continue }
      try await stream.write(try encoded(line))
    }
    stream.finish()
  }

  private func encoded(_ line: StandardInputLines.Line) throws(CommandFailure) -> [UInt8] {
    let place = "line \(line.number) of standard input"
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONValue(parsing: line.text)
    } catch {
      throw CommandFailure(.badInput, "\(place) is not JSON: \(error)")
    }
    do throws(ContractError) {
      return try call.contracts.message(call.method.requestType, from: json).encoded()
    } catch {
      var failure = CommandFailure(error, .badInput)
      failure.message = "\(place) is no \(call.method.requestType): \(failure.message)"
      throw failure
    }
  }
}
