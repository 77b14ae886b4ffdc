import KithTesting

/// A person's home, with the places that a person has: no `--root`, the XDG folders.
struct Home {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Runs `kith`.
  func kith(_ arguments: String...) async throws -> Program.Outcome {
    try await kith(arguments)
  }

  /// Runs `kith`.
  func kith(_ arguments: [String]) async throws -> Program.Outcome {
    try await Program.built("kith", arguments, environment: environment).run()
  }

  /// Runs a script in bash that calls `kith`.
  func bash(_ script: String, _ more: [String: String?] = [:]) async throws -> Program.Outcome {
    let path = "\(try Program.builtFolder()):/usr/bin:/bin"
    return try await Program(
      "/bin/bash", ["-c", script],
      environment: environment.merging(["PATH": path]) { $1 }.merging(more) { $1 }
    ).run()
  }

  private var environment: [String: String?] {
    [
      "HOME": folder.path, "XDG_STATE_HOME": "\(folder.path)/s",
      "XDG_RUNTIME_DIR": "\(folder.path)/r", "KITH_PLUGIN_PATH": nil, "KITH_PRODUCT": nil,
      "KITH_ROOT": nil,
      "COLUMNS": nil, "NO_COLOR": "1",
    ]
  }
}
