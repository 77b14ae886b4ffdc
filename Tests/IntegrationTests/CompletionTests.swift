import Glibc
import KithTesting
import Testing

/// What a person sees who presses the tab key.
@Suite struct CompletionTests {
  /// Completes each line in bash, its cursor at its end; a line of output for each.
  private static let harness = """
    source <(kith completion bash)
    complete_words() {
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
      _kith kith
      echo "${COMPREPLY[*]}"
    }

    """

  @Test func bashKnowsWhatRuns() async throws {
    let home = try Home()
    let up = try await home.kith("up", "boomer-buddy")
    try #require(up.exitCode == 0, "\(up)")
    let outcome = try await home.bash(
      Self.harness + """
        complete_words kith ri
        complete_words kith restart ''
        complete_words kith logs ''
        complete_words kith risk-engine ''
        complete_words kith risk-engine analyze --ch
        complete_words kith risk-engine analyze --channel ''
        complete_words kith risk-engine analyze --channel = s
        complete_words kith call RiskEngine/G
        complete_words kith --product ''
        complete_words kith no-such-worker ''
        """)
    let down = try await home.kith("down")
    #expect(down.exitCode == 0, "\(down)")
    #expect(
      outcome.output == """
        risk-engine
        reminders risk-engine
        reminders risk-engine kithd
        analyze explain build-features analyze-features link rules get-model
        --channel
        unspecified sms call voicemail email web letter
        sms
        RiskEngine/GetModel
        boomer-buddy


        """, "\(outcome)")
    #expect(outcome.errors == "")
  }

  @Test(.enabled(if: access("/usr/bin/fish", X_OK) == 0, "fish is not installed"))
  func fishKnowsWhatRuns() async throws {
    let home = try Home()
    let up = try await home.kith("up", "boomer-buddy")
    try #require(up.exitCode == 0, "\(up)")
    let outcome = try await home.bash(
      """
      kith completion fish >$HOME/kith.fish
      fish -c 'source ~/kith.fish
        complete -C "kith ri"
        complete -C "kith risk-engine analyze --channel s"
        complete -C "kith risk-engine analyze --channel=s"'
      """)
    let down = try await home.kith("down")
    #expect(down.exitCode == 0, "\(down)")
    #expect(outcome.output == "risk-engine\tworker\nsms\n--channel=sms\n", "\(outcome)")
  }

  @Test(.enabled(if: access("/usr/bin/zsh", X_OK) == 0, "zsh is not installed"))
  func zshReadsItsScript() async throws {
    let home = try Home()
    // Without a terminal zsh completes nothing: what its own function would be shown is caught
    // instead.
    let outcome = try await home.bash(
      """
      kith completion zsh >$HOME/_kith
      zsh -f -c 'compdef() { :; }; _describe() { print -l -- "${(@P)3}"; }; compset() { :; }
        _files() { print files $*; }
        source ~/_kith
        words=(kith up bo); CURRENT=3; _kith
        words=(kith sta); CURRENT=2; _kith
        words=(kith --root x); CURRENT=3; _kith'
      """)
    #expect(
      outcome.output == """
        boomer-buddy:product
        files
        status:Shows the workers of a running product and how they are.
        start:Starts workers that are stopped, and waits until they are ready.
        files -/

        """, "\(outcome)")
  }

  @Test func bashKnowsProductsAndFilesWhereNothingRuns() async throws {
    let home = try Home()
    try home.folder.write("", to: "files/boot.yaml")
    try home.folder.write("", to: "files/deeper/x")
    let outcome = try await home.bash(
      Self.harness + """
        cd "$HOME/files"
        complete_words kith up bo
        complete_words kith --root d
        complete_words kith sta
        complete_words kith restart ''
        complete_words kith risk-engine ''
        """)
    #expect(
      outcome.output == """
        boomer-buddy boot.yaml
        deeper
        status start
        --all --with-dependents --product --root --timeout --json --version --help


        """, "\(outcome)")
    #expect(outcome.errors == "")
  }

  @Test func aHostThatHangsKeepsNobodyWaiting() async throws {
    let home = try Home()
    let up = try await home.kith("up", "boomer-buddy")
    try #require(up.exitCode == 0, "\(up)")
    // Longer than any patience of a person, shorter than that of a call.
    let outcome = try await home.bash(
      """
      pid=$(kith status --json | sed -n 's/.*"hostPid": \\([0-9]*\\).*/\\1/p')
      kill -STOP $pid
      timeout 10 kith complete -- sta; echo "exit $?"
      timeout 10 kith complete -- risk-engine analyze ''; echo "exit $?"
      kill -CONT $pid
      """)
    let down = try await home.kith("down")
    #expect(down.exitCode == 0, "\(down)")
    #expect(outcome.output.hasPrefix("status\t"), "\(outcome)")
    #expect(outcome.output.matches(of: /exit 0/).count == 2, "\(outcome)")
    #expect(outcome.errors == "")
  }
}
