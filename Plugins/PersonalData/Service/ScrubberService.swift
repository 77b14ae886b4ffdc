import KithPersonalData
public import KithRPC
import KithWire
public import PIIContract

/// The scrubber behind its contract: checks requests, asks ``KithPersonalData``, words the answer.
///
/// It keeps nothing of a text, and no error or log repeats one.
public struct ScrubberService: ScrubberHandler {
  /// The longest text in bytes of UTF-8.
  public static let maximumTextBytes = 262_144

  private let scanner = PersonalDataScanner()

  /// A service; it has nothing to be set.
  public init() {}

  /// What the worker serves.
  public var definition: ServiceDefinition { .scrubber(self) }

  /// Scrubs a text; INVALID_ARGUMENT names the field that is wrong.
  public func scrub(_ request: ScrubRequest, context: CallContext) async throws -> ScrubResponse {
    try answer(request)
  }

  /// The answer to a request.
  ///
  /// - Throws: INVALID_ARGUMENT naming `text`.
  func answer(_ request: ScrubRequest) throws(RPCError) -> ScrubResponse {
    let text = Array(request.text.utf8)
    guard text.count <= Self.maximumTextBytes else {
      throw .invalidArgument(
        field: "text",
        "it has \(text.count) bytes, at most \(Self.maximumTextBytes) are taken; send it in parts, cut between paragraphs"
      )
    }
    let scrubbed = scanner.scrub(text)
    let blocking = scrubbed.stoppingTypes
    var response = ScrubResponse(
      counts: scrubbed.counts.sorted { $0.key.rawValue < $1.key.rawValue }.map {
        TypeCount(type: Self.wire($0.key), count: UInt32($0.value))
      },
      hardBlock: !blocking.isEmpty, blockingTypes: blocking.map(Self.wire))
    // What is not handed out cannot be sent by mistake, nor can anything be made of it.
    guard blocking.isEmpty || request.purpose == .localUse else { return response }
    response.text = scrubbed.text
    response.redactions = scrubbed.replacements.map {
      Redaction(
        type: Self.wire($0.type), start: UInt32($0.original.lowerBound),
        end: UInt32($0.original.upperBound), resultStart: UInt32($0.result.lowerBound),
        resultEnd: UInt32($0.result.upperBound), confirmed: $0.isConfirmed)
    }
    return response
  }

  static func wire(_ type: KithPersonalData.PersonalDataType) -> PIIContract.PersonalDataType {
    PIIContract.PersonalDataType(rawValue: Int32(type.rawValue))
  }
}
