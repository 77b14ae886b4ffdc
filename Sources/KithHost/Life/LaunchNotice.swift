import Glibc

/// What the host tells whoever started it: on standard error, and, where the environment names one,
/// on a notice pipe as workers have it.
///
/// `KITH_NOTIFY_FD=N` names the writing end of a pipe. The host writes `listening` and a newline
/// when its control socket accepts connections and closes the pipe; a starter that sees the pipe
/// end without a word knows that the host failed, and the exit code and standard error say how.
/// Nobody needs to try again and again.
public enum LaunchNotice {
  /// The control socket accepts connections.
  @Sendable public static func listening() {
    guard let descriptor = takeDescriptor() else { return }
    try? descriptor.writeAll(Array("listening\n".utf8), to: "the notice pipe")
  }

  /// The host could not start.
  public static func failed(_ failure: HostFailure) {
    StandardError.write("kithd: \(failure)\n")
  }

  private static func takeDescriptor() -> Descriptor? {
    guard let text = getenv("KITH_NOTIFY_FD").map({ String(cString: $0) }),
      let number = Int32(text), number > 2, fcntl(number, F_GETFD) >= 0
    else { return nil }
    return Descriptor(taking: number)
  }
}
