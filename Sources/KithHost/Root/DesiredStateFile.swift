import Glibc

/// The desired state, and the file that has it for the next host.
struct DesiredStateFile {
  /// What was asked for.
  private(set) var state: DesiredState
  /// Why the file does not say so; nil when it does.
  private(set) var trouble: String?
  /// Where a damaged file was put when this was read; nil when it was not damaged.
  let damaged: String?
  private let path: String

  /// Reads the file in a folder. What it does not say is as nobody asked for anything.
  init(folder: String) {
    path = folder + "/wishes.json"
    (state, damaged) = DesiredState.read(path)
  }

  /// Changes the state; answers whether it is another now, which is then to be written.
  mutating func change(_ change: (inout DesiredState) -> Void) -> Bool {
    let before = state
    change(&state)
    return state != before
  }

  /// Writes the file. `trouble` says whether that was possible.
  mutating func write() {
    do throws(SystemError) {
      try state.write(path)
      trouble = nil
    } catch {
      trouble =
        "should this host be killed, the next one goes by what was asked for earlier: \(error)"
    }
  }

  /// Removes the file: the product has ended, and the next start begins with its manifest.
  func remove() { unlink(path) }
}
