import ArgumentParser

/// `kith completion SHELL`
struct CompletionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completion",
    abstract: "Writes a completion script for a shell.",
    discussion: """
      EXAMPLES
        kith completion bash > ~/.local/share/bash-completion/completions/kith
        kith completion zsh > ~/.zfunc/_kith
        kith completion fish > ~/.config/fish/completions/kith.fish
      """)

  /// The shells that there are scripts for.
  enum Shell: String, ExpressibleByArgument, CaseIterable {
    case bash, zsh, fish
  }

  @Argument(help: "bash, zsh or fish.")
  var shell: Shell

  func run() {
    let target: CompletionShell =
      switch shell {
      case .bash: .bash
      case .zsh: .zsh
      case .fish: .fish
      }
    Output.line(KithCommand.completionScript(for: target))
  }
}
