import BenchmarkKit
import KithRPC
import KithTesting
import RiskContract

/// The risk engine as it ships, in its worker: how many texts a second it scores through calls, and
/// how long one takes.
@main
struct EngineBench {
  private static let duration = Duration.seconds(3)

  /// What an older person receives, of some 160 characters.
  private static let texts = [
    "IRS FINAL NOTICE: a warrant is out for your arrest because of unpaid taxes. Pay $900 in gift cards today and do not tell anyone about it. Call 1-888-555-0142 now.",
    "USPS: your package could not be delivered because of an incomplete address. Please update it within 24 hours here: https://usps-redelivery-help.top/a9x or it goes back",
    "CVS Pharmacy: your prescription is ready for pickup at 400 Pine Street. We are open until 9 pm on weekdays and until 6 pm on Sunday. Reply STOP to opt out of texts.",
    "Hi Mom, we are still on for Sunday. I will pick you up at noon and then we drive to the lake with the kids, so bring a warm coat. Do you need anything from the store?",
    "Your verification code is 482913. It expires in 10 minutes. We will never call or text you to ask for this code, so do not share it with anyone, not even with our staff.",
  ]

  static func main() async throws {
    try await Machine.printHead()
    try await RunningProduct.run(
      ProductSetup(workers: ["risk-engine": "risk-engine"], posture: .ephemeral)
    ) { product in
      try await product.settle()
      let engine = RiskEngineClient(product.client(of: "risk-engine"))
      let requests = texts.map { AnalyzeRequest(text: $0, channel: .sms, state: "WA") }
      let counter = Turn(count: requests.count)
      let call: @Sendable () async throws -> Void = {
        _ = try await engine.analyze(requests[counter.next()])
      }
      var table = Table("texts of 160 characters, in flight", "texts/s", "p50 us", "p99 us")
      var most = 0.0
      var alone = LoadGenerator.Sample(callsPerSecond: 0, p50: .nan, p99: .nan)
      for inFlight in [1, 8, 64] {
        let sample = try await LoadGenerator.run(inFlight: inFlight, for: duration, call)
        if inFlight == 1 { alone = sample }
        if inFlight == 64 { most = sample.callsPerSecond }
        table.add(
          "\(inFlight)", sample.callsPerSecond.formatted(decimals: 0),
          sample.p50.formatted(decimals: 0), sample.p99.formatted(decimals: 0))
      }
      let long = String(repeating: texts.joined(separator: " ") + " ", count: 90)
      let letter = AnalyzeRequest(text: String(long.prefix(65_536)), channel: .letter)
      let whole = try await LoadGenerator.run(inFlight: 1, for: duration) {
        _ = try await engine.analyze(letter)
      }
      print(table.text)
      var floors = Table("floors", "asked", "kith", "")
      for (name, floor, value) in [
        ("texts/s through calls, 64 in flight", Floor.atLeast(15_000), most),
        ("p99 of 160 characters, ms", .below(2), alone.p99 / 1000),
        ("p99 of 64 KiB, ms", .below(20), whole.p99 / 1000),
      ] {
        floors.add(
          name, floor.text, value.formatted(decimals: value > 100 ? 0 : 2),
          floor.isKept(by: value) ? "kept" : "MISSED")
      }
      print(floors.text)
    }
  }
}
