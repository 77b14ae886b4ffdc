import Glibc
import Testing

@testable import KithHost

@Suite struct ServiceManagerTests {
  @Test func messagesAreLinesOfNamesAndValues() {
    #expect(ServiceNotification.ready.bytes == Array("READY=1".utf8))
    #expect(ServiceNotification.stopping.bytes == Array("STOPPING=1".utf8))
    #expect(ServiceNotification.watchdog.bytes == Array("WATCHDOG=1".utf8))
    // A text that came from elsewhere is one line and can say nothing else.
    #expect(
      ServiceNotification.status("2 of 3\nREADY=1\r\nx").bytes
        == Array("STATUS=2 of 3 READY=1 x".utf8))
  }

  @Test func addressesArePathsOrAbstractNames() {
    #expect(NotifyAddress("/run/x")?.bytes == Array("/run/x".utf8) + [0])
    #expect(NotifyAddress("@x")?.bytes == [0] + Array("x".utf8))
    for text in ["", "@", "run/x", "vsock:2:1", "/" + String(repeating: "x", count: 107)] {
      #expect(NotifyAddress(text) == nil, "\(text)")
    }
  }

  @Test func theWatchdogIsPingedTwiceInItsTime() {
    func interval(_ environment: [String: String]) -> Duration? {
      ServiceManager.watchdogInterval(environment, pid: 7)
    }
    #expect(interval(["WATCHDOG_USEC": "30000000"]) == .seconds(15))
    #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"]) == .seconds(15))
    #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"]) == nil)
    for text in ["0", "-1", "x", ""] { #expect(interval(["WATCHDOG_USEC": text]) == nil) }
    #expect(interval([:]) == nil)
  }

  @Test(arguments: [false, true])
  func messagesArrive(isAbstract: Bool) throws {
    let folder = try TemporaryFolder()
    let name = isAbstract ? "@kith-\(folder.path)" : "\(folder.path)/notify"
    let receiver = Descriptor(taking: socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0))
    let address = try #require(NotifyAddress(name))
    #expect(address.withSocketAddress { bind(receiver.number, $0, $1) } == 0)
    let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": name]))
    manager.send(.ready)
    manager.send(status: "1 of 1 workers ready")
    manager.send(status: "1 of 1 workers ready")
    manager.send(.stopping)
    var texts: [String] = []
    for _ in 0..<3 {
      guard case .bytes(let bytes) = try receiver.read(atMost: 1000) else { break }
      texts.append(String(decoding: bytes, as: UTF8.self))
    }
    #expect(texts == ["READY=1", "STATUS=1 of 1 workers ready", "STOPPING=1"])
    try receiver.setNonBlocking()
    guard case .wouldBlock = try receiver.read(atMost: 1000) else {
      Issue.record("more was sent")
      return
    }
  }

  @Test func nobodyToTellIsNoTrouble() throws {
    #expect(ServiceManager(environment: [:]) == nil)
    let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": "/nowhere/notify"]))
    manager.send(.ready)
    #expect(manager.watchdogInterval == nil)
  }
}
