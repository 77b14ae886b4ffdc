import ArgumentParser

/// `kith completion SHELL`
struct CompletionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completion",
    abstract: "Writes a completion script for a shell.",
    discussion: """
      The script asks kith itself, so that it knows the workers that run, their verbs and flags, and need not be written \
      again.

      EXAMPLES
        kith completion bash > ~/.local/share/bash-completion/completions/kith
        kith completion zsh > ~/.zfunc/_kith
        kith completion fish > ~/.config/fish/completions/kith.fish
      """)

  @Argument(help: "bash, zsh or fish.")
  var shell: CompletionScript

  func run() throws {
    try Output.line(shell.text)
  }
}

extension CompletionScript: ExpressibleByArgument {}
