import Glibc
import KithTesting
import Testing

/// Streams on the command line: lines in, lines out.
@Suite struct StreamingCommandTests {
  /// What a shell answers that runs `script` with `kith` on its path and a product that runs.
  private func shell(
    _ script: String, setup: ProductSetup = Setups.odd()
  ) async throws -> Program.Outcome {
    var outcome: Program.Outcome?
    try await RunningProduct.run(setup) { product in
      _ = try await product.settle()
      let kith = "\(try Program.builtFolder())/kith"
      outcome = try await Program(
        "/bin/sh",
        [
          "-c", "root=\(product.folder.path)/r; kith() { \(kith) --root $root \"$@\"; }; \(script)",
        ],
        environment: ["NO_COLOR": "1"]
      ).run()
    }
    return try #require(outcome)
  }

  @Test func answersComeALineEach() async throws {
    let outcome = try await shell("kith odd count --count 3; kith odd count --count 2 --end-code 9")
    #expect(
      outcome.output == """
        {"number":"0","padding":""}
        {"number":"1","padding":""}
        {"number":"2","padding":""}
        {"number":"0","padding":""}
        {"number":"1","padding":""}

        """)
    #expect(outcome.errors.contains("as asked"), "\(outcome.errors)")
    #expect(outcome.exitCode != 0)
  }

  @Test func linesGoOutAsTheyCome() async throws {
    // The echo of each line is there before the next one is written: it is what the next one waits
    // for.
    let outcome = try await shell(
      """
      dir=$(mktemp -d); mkfifo $dir/in $dir/out
      kith call kith.testing.v1.Streams/Echo <$dir/in >$dir/out &
      exec 3>$dir/in 4<$dir/out
      for n in 7 8 9; do echo "{\\"number\\": $n}" >&3; read line <&4; echo "got $line"; done
      exec 3>&-; wait $!; echo "exit $?"; rm -r $dir
      """)
    #expect(
      outcome.output == """
        got {"number":"7","padding":""}
        got {"number":"8","padding":""}
        got {"number":"9","padding":""}
        exit 0

        """, "\(outcome)")
  }

  @Test func aStreamThatIsAnsweredOnceIsSummedUp() async throws {
    let outcome = try await shell(
      "printf '{\"number\": 40}\\n\\n{\"number\": 2}' | kith odd sum --json; kith odd sum --number 5"
    )
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(outcome.output.contains("\"sum\": \"42\""), "\(outcome)")
    #expect(outcome.output.contains("sum") && outcome.output.contains("5"), "\(outcome)")
  }

  @Test func aLineThatIsNoMessageIsNamed() async throws {
    let outcome = try await shell(
      "printf '{\"number\": 1}\\n{\"numbr\": 2}\\n' | kith odd sum")
    #expect(outcome.exitCode == 65, "\(outcome)")
    #expect(outcome.errors.contains("line 2 of standard input"), "\(outcome)")
    #expect(outcome.errors.contains("numbr"), "\(outcome)")
  }

  @Test func aCallThatIsRepeatedWithItsKeyIsCarriedOutOnce() async throws {
    let outcome = try await shell(
      """
      kith odd append --entry milk --idempotency-key a1 >/dev/null
      kith call Once/Append '{"entry": "milk"}' --idempotency-key a1 >/dev/null
      kith odd append --entry bread --idempotency-key a1; echo "exit $?"
      kith odd append --entry x --idempotency-key "a b"; echo "exit $?"
      cat $root/workers/odd/entries
      """, setup: Setups.oddWithState())
    #expect(
      outcome.output == """
        exit 65
        exit 64
        milk

        """, "\(outcome)")
  }

  @Test(arguments: [SIGINT: 130, SIGTERM: 143] as [Int32: Int32])
  func aSignalCancelsTheCall(_ number: Int32, _ exitCode: Int32) async throws {
    try await RunningProduct.run(Setups.odd()) { product in
      _ = try await product.settle()
      let kith = try Program.built(
        "kith", ["--root", "\(product.folder.path)/r", "odd", "count", "--count", "4000000000"]
      ).start()
      try await product.waitForLine(of: "odd", "counting")
      kith.signal(number)
      #expect(await kith.exitCode() == exitCode)
      try await product.waitForLine(of: "odd", "counting ended early")
    }
  }

  @Test func theHelpSaysWhatStreams() async throws {
    let outcome = try await shell("kith odd echo --help; kith describe kith.testing.v1.Streams")
    #expect(outcome.output.contains("each line of standard input is a message"), "\(outcome)")
    #expect(outcome.output.contains("rpc Echo(stream Numbered) returns (stream Numbered)"))
  }
}
