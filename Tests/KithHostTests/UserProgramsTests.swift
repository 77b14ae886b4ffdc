import Glibc
import HostContract
import KithManifest
import KithRPC
import Testing

@testable import KithHost

/// What a worker reaches of the programs of this machine: those that its manifest names, and
/// nothing else.
@Suite struct UserProgramsTests {
  /// An account that is not root's: that of the tests, or `nobody`.
  private static let user =
    geteuid() == 0 ? "nobody" : String(cString: getpwuid(geteuid()).pointee.pw_name)

  private func code(_ body: () throws(RPCError) -> Void) -> StatusCode? {
    do throws(RPCError) {
      try body()
      return nil
    } catch { return error.code }
  }

  @Test func noGrantIsOfRootOrOfNobodyKnown() {
    #expect(
      code { () throws(RPCError) in
        _ = try UserPrograms(ProgramsGrant(user: "no-such-person", names: ["/bin/*"]))
      } == .failedPrecondition)
    let own = code { () throws(RPCError) in
      _ = try UserPrograms(ProgramsGrant(user: nil, names: ["/bin/*"]))
    }
    #expect(own == (geteuid() == 0 ? .failedPrecondition : nil))
  }

  @Test func aProgramThatIsNotNamedOrAnothersIsNotFound() throws {
    let programs = try UserPrograms(
      ProgramsGrant(user: Self.user, names: ["/no/such/program", "no-such.scope"]))
    #expect(try programs.running().isEmpty)
    let own = try #require(ProcessIdentity.current(ofPid: getpid()))
    // This process, the first one, one that was there before, and none at all.
    for (pid, ticks) in [
      (own.pid, own.startTicks), (1, 0), (own.pid, own.startTicks + 1), (0, 0), (-1, 0),
      (Int32.max, 0),
    ] {
      let refused = code { () throws(RPCError) in
        try programs.signal(SignalProgramRequest(pid: pid, startTicks: ticks, signal: .kill))
      }
      #expect(refused == .notFound, "\(pid)")
    }
    let unsaid = code { () throws(RPCError) in
      try programs.signal(SignalProgramRequest(pid: own.pid, startTicks: own.startTicks))
    }
    #expect(unsaid == .invalidArgument)
  }

  /// All programs of the machine are named, and none but the account's own is seen.
  @Test func aGrantOfAllPathsIsOfOneAccountOnly() throws {
    let programs = try UserPrograms(
      ProgramsGrant(user: Self.user, names: ["/bin/*", "/usr/*", "/opt/*", "/work/*"]))
    for program in try programs.running() {
      var status = stat()
      guard stat("/proc/\(program.identity.pid)", &status) == 0 else { continue }
      #expect(status.st_uid != 0)
    }
  }
}
