import KithPersonalData
import RiskEngineDomain
import RiskEngineService

/// What reads the texts that people receive: the risk engine and the scrubber of personal data.
struct TextsTarget: FuzzTarget {
  private let engine: RiskEngine
  private let scanner = PersonalDataScanner()

  /// A target with the bundle that ships.
  init() throws {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    let house = parts.dropLast(5).joined(separator: "/")
    engine = try ResourceBundle(folder: "\(house)/Plugins/RiskEngine/Resources").engine
  }

  func run(_ input: [UInt8]) {
    let text = input.withUnsafeBufferPointer { NormalizedText(utf8: $0) }
    // The first byte decides what is known beside the text, so that those paths are met, too.
    let circumstances = Circumstances(
      senderIsContact: input.first == 1,
      sender: input.first.flatMap { _ in
        SenderAddress(String(decoding: input.prefix(24), as: UTF8.self))
      },
      localTimes: [LocalTime(weekday: Int(input.first ?? 0) % 7 + 1, minute: 30)])
    let calculation = engine.explain(text, circumstances, bands: .standard)
    let score = calculation.assessment.score
    require((0...1).contains(score), "the score is no probability")
    require(
      engine.assess(text, circumstances, bands: .standard) == calculation.assessment,
      "the same text has two verdicts")
    for span in calculation.signals.compactMap(\.span) + calculation.links.compactMap(\.span) {
      require(span.start < span.end && span.end <= input.count, "a span is outside of the text")
    }
    let vector = engine.featureVector(
      of: text, scalarCount: input.count, circumstances, bands: .standard)
    let again = engine.assess(vector, bands: .standard)
    require(abs(again.assessment.score - score) < 0.01, "the vector has another score")
    let scrubbed = scanner.scrub(input)
    require(
      scanner.scrub(scrubbed.bytes).bytes == scrubbed.bytes, "what was scrubbed is scrubbed again")
  }
}
