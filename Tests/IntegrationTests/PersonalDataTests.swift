import FoundationEssentials
import HostContract
import KithRPC
import KithTesting
import PIIContract
import RiskContract
import Testing

/// What is personal and where it must not be.
@Suite struct PersonalDataTests {
  private let options = CallOptions(timeout: RunningProduct.patience, waitForReady: true)

  private static let scrubbing = ProductSetup(
    product: """
      product: test
      title: Test
      posture: ephemeral
      workers:
        personal-data: {}

      """)

  @Test func theScrubberAnswersBeforeAndAfterItWasKilled() async throws {
    try await RunningProduct.run(Self.scrubbing) { product in
      let worker = try #require(try await product.settle().workers.first)
      #expect(worker.state == .ready, "\(worker.reason) \(worker.lastExit?.lastLines ?? [])")
      let request = ScrubRequest(
        text: "Call (415) 555-0182, SSN 123-45-6789", purpose: .localUse)
      let before = try await ScrubberClient(product.client(of: "personal-data")).scrub(
        request, options: options)
      #expect(before.text == "Call [REDACTED_PHONE], SSN [REDACTED_SSN]" && before.hardBlock)
      try await product.kill("personal-data")
      try await product.waitUntil("personal-data") { $0.state == .ready && $0.generation == 2 }
      let after = try await ScrubberClient(product.client(of: "personal-data")).scrub(
        request, options: options)
      #expect(after == before)
    }
  }

  /// What a person might write, with a part of it that must be nowhere.
  private static let texts = [
    ("please call me back at (415) 555-0182", "555-0182"),
    ("write to margaret.hill@example.org today", "margaret.hill"),
    ("my social is 123-45-6789", "123-45-6789"), ("pay with 4111 1111 1111 1111", "1111 1111"),
    ("I live at 4711 Elm Street, Springfield, IL 62701", "4711 Elm"),
    ("transfer to DE89 3704 0044 0532 0130 00", "0532 0130"),
    ("born on April 8, 1952 in Ohio", "April 8, 1952"), ("Medicare 1EG4-TE5-MK73", "MK73"),
  ]

  @Test func personalTextsInLogLinesAndErrorsAreInNoFile() async throws {
    try await RunningProduct.run(Setups.odd()) { product in
      try await product.settle()
      for (text, secret) in Self.texts {
        try await product.tell("log warning \(text)")
        try await product.tell("print \(text)")
        try await product.tell("degrade \(text)")
        let error = await #expect(throws: RPCError.self) {
          try await product.tell("refuse \(text)")
        }
        #expect(error?.code == .invalidArgument && error?.message.contains(secret) == false)
        #expect(try await !product.worker("odd").reason.contains(secret))
      }
      try await product.tell("print the last print")
      try await product.waitForLine(of: "odd", "the last print")
      try await product.tell("log warning the last one")
      try await product.waitForLine(of: "odd", "the last one")
      let lines = try await product.log(of: "odd").map(\.text)
      #expect(lines.contains("please call me back at [REDACTED_PHONE]"), "\(lines)")
      let root = product.folder.path
      let files = try FileManager.default.subpathsOfDirectory(atPath: root)
      var read = 0
      // What a process wrote past its logger is as it was in the file that it writes to, of the
      // runtime folder, until it has ended.
      for name in files where !name.hasSuffix("/odd.1.out") {
        guard let data = FileManager.default.contents(atPath: "\(root)/\(name)") else {
          continue
        }
        read += 1
        let content = String(decoding: data, as: UTF8.self)
        for (_, secret) in Self.texts { #expect(!content.contains(secret), "\(secret) in \(name)") }
      }
      #expect(read > 3)
    }
  }
}
