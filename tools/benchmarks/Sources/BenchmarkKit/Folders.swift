import Glibc

/// A new folder under /tmp: short, since a unix socket path holds at most 107 bytes.
package func temporaryFolder() throws -> String {
  var template = Array("/tmp/kith-bench.XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else {
    throw BenchmarkError("mkdtemp: \(String(cString: strerror(errno)))")
  }
  return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Removes a folder and all in it.
package func removeFolder(_ path: String) {
  let remover = try? ChildProcess("/bin/rm", ["-rf", path])
  remover?.wait()
}

/// Waits until a file is there: the server has bound its socket.
package func waitForFile(_ path: String) async throws {
  for _ in 0..<1_000 {
    if access(path, F_OK) == 0 { return }
    try await Task.sleep(for: .milliseconds(10))
  }
  throw BenchmarkError("nothing listens at \(path) after 10 s")
}

/// The size of a file in bytes.
package func fileSize(_ path: String) -> Int? {
  var status = stat()
  return stat(path, &status) == 0 ? Int(status.st_size) : nil
}

/// All of a file as text; nil when it cannot be read.
package func readFile(_ path: String) -> String? {
  guard let file = fopen(path, "r") else { return nil }
  defer { fclose(file) }
  return readAll(file)
}

/// What a file or a pipe has up to its end.
package func readAll(_ file: UnsafeMutablePointer<FILE>) -> String {
  var bytes: [UInt8] = []
  var part = [UInt8](repeating: 0, count: 4096)
  while true {
    let count = fread(&part, 1, part.count, file)
    guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
    bytes += part[..<count]
  }
}

/// A line's number in `/proc/PID/status`, in KiB.
package func kibibytes(_ line: String, of pid: Int32) -> Int? {
  for text in (readFile("/proc/\(pid)/status") ?? "").split(separator: "\n")
  where text.hasPrefix(line + ":") {
    return Int(text.filter(\.isNumber))
  }
  return nil
}
