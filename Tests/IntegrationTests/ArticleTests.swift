import Glibc
import KithManifest
import KithRPC
import KithTesting
import KithTime
import Testing
import TestingContract

/// The test that the kit's article shows, and a test that it shows this one.
@Suite struct ArticleTests {
  @Test func nothingIsLostWhenTheDiaryIsKilled() async throws {
    let setup = Setups.diary.only("family").starting(at: Instant("2026-03-07T12:00:00Z"))
    try await RunningProduct.run(setup) { product in
      try await product.settle()
      let diary = OnceClient(product.client(of: "diary"))
      let retold = product.account(of: AppendRequest.self, by: "family") { $0.entry }

      for day in ["Saturday", "Sunday", "Monday"] {
        let call = CallOptions(waitForReady: true, idempotencyKey: .random())
        _ = try await diary.append(AppendRequest(entry: day), options: call)
        retold.acknowledged(day)
        try await product.suffer(.kill(day == "Sunday" ? "family" : "diary"))
        try await product.clock.advance(by: .seconds(24 * 3600))
      }

      let last = try await product.event(AppendRequest.self, of: "family") { event in
        event.message.entry == "Monday"
      }
      #expect(last.at == Instant("2026-03-09T12:10:00Z"))
    }
  }

  @Test func theArticleShowsTheTestAbove() throws {
    // Tests/IntegrationTests/ArticleTests.swift, three folders below the top.
    let top = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let own = try #require(TemporaryFolder.text(of: #filePath))
    let article = try #require(
      TemporaryFolder.text(of: "/\(top)/Sources/KithTesting/KithTesting.docc/KithTesting.md"))
    let lines = own.split(separator: "\n", omittingEmptySubsequences: false)
    let begin = try #require(lines.firstIndex { $0.contains("@Test func nothingIsLost") })
    let end = try #require(lines[begin...].firstIndex { $0 == "  }" })
    let listing = lines[begin...end].map { $0.hasPrefix("  ") ? $0.dropFirst(2) : $0 }
    #expect(article.contains("\n" + listing.joined(separator: "\n") + "\n```"))
    #expect(listing.count { !$0.isEmpty } <= 22)
  }
}
