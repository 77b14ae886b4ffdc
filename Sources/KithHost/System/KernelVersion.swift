import Glibc

/// The version of a kernel, as far as it says what the kernel can: `6.1`.
struct KernelVersion: Comparable, Sendable {
  var major: Int
  var minor: Int

  init(_ major: Int, _ minor: Int) {
    (self.major, self.minor) = (major, minor)
  }

  /// The version that a release names, `6.18.44-fc-v657`; nil when it names none.
  init?(release: some StringProtocol) {
    let numbers = release.split(separator: ".", maxSplits: 2)
      .prefix(2).compactMap { Int($0.prefix(while: \.isWholeNumber)) }
    guard numbers.count == 2 else { return nil }
    self.init(numbers[0], numbers[1])
  }

  /// The kernel that this process runs on; 0.0 when it does not say.
  static let current =
    ProcessFile.text("/proc/sys/kernel/osrelease").flatMap { KernelVersion(release: $0) }
    ?? KernelVersion(0, 0)

  static func < (one: KernelVersion, other: KernelVersion) -> Bool {
    (one.major, one.minor) < (other.major, other.minor)
  }
}
