import Glibc
import KithWorker

/// A worker that tries, as it starts, all that its sandbox is to keep from it, and writes what came
/// of it to `report` in its state folder: a line for each probe, of what it is about, what it
/// tried, `nothing` or `GAINED`, and how.
try await Worker.run { context in
  let configuration = context.configuration
  let state = context.stateDirectory ?? "/nowhere"
  let surroundings = Surroundings(
    state: state, plugin: context.pluginDirectory, bait: try configuration.string("bait"),
    abstractName: try configuration.string("abstract_name"),
    stranger: Int32(try configuration.string("stranger")) ?? 0,
    openFiles: Int(try configuration.string("open_files")) ?? 0,
    processes: Int(try configuration.string("processes")) ?? 0)

  // What a terminal would take for an order, in a log line and in the name of a process, and a line
  // that looks like another's.
  print("\u{1B}]0;mine\u{7}\u{1B}[2J\u{1B}[31mred\u{9B}31m\rkithd: all is well\u{8}")
  fflush(nil)
  nameProcess("\u{1B}[31mred")

  var report = ""
  for probe in Probe.files + Probe.processes + Probe.kernel
    + BoundaryProbes(context, surroundings).all + Probe.resources
  {
    report += await probe.line(in: surroundings)
  }
  let file = open("\(state)/report", O_CREAT | O_WRONLY | O_TRUNC, 0o600)
  let bytes = Array(report.utf8)
  guard file >= 0, write(file, bytes, bytes.count) == bytes.count else { exit(3) }
  close(file)
  return []
}

/// Gives the process another name.
func nameProcess(_ name: String) {
  let file = open("/proc/self/comm", O_WRONLY)
  guard file >= 0 else { return }
  let bytes = Array(name.utf8)
  write(file, bytes, bytes.count)
  close(file)
}
