import Glibc
package import KithReflection
package import KithTerminal

/// A part of an answer that is written to a file: `--plot FILE`, for a field of bytes that the
/// contract marks with `(kith.file)`.
package struct AnswerFile: Equatable {
  /// The flag's name without the dashes.
  package let name: String
  /// The field of the answer.
  package let field: FieldDescription

  /// The files that an answer may have. A flag of the request goes before one of that name, unless
  /// it is of yes or no: then both are one, and what is to be written is asked for.
  package static func files(
    of answer: MessageTypeDescription?, beside flags: [RequestFlag]
  ) -> [AnswerFile] {
    (answer?.fields ?? []).compactMap { field in
      guard field.isFile, field.type == .bytes, !field.holdsMany else { return nil }
      let name = ContractNames.kebab(field.name)
      let isTaken = flags.contains { $0.name == name && $0.kind != .bool }
      return isTaken ? nil : AnswerFile(name: name, field: field)
    }
  }

  /// Takes the bytes out of an answer and writes them; what was there is written over. Only the
  /// user may read the file, since it may be personal.
  /// - Returns: how many bytes there were.
  package func write(to path: String, from answer: inout DynamicMessage) throws(CommandFailure)
    -> Int
  {
    guard case .bytes(let bytes)? = answer[field], !bytes.isEmpty else {
      throw CommandFailure(
        .defect, "--\(name): the answer has no \(name); nothing was written to the file")
    }
    answer[field] = nil
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(path) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let failure = failure(path)
        close(descriptor)
        throw failure
      }
      rest = rest.dropFirst(count)
    }
    guard close(descriptor) == 0 else { throw failure(path) }
    return bytes.count
  }

  private func failure(_ path: String) -> CommandFailure {
    let reason = String(cString: strerror(errno))
    return CommandFailure(
      errno == EACCES ? .permission : .cannotCreate,
      "--\(name): cannot write the file '\(SafeText.line(path))': \(reason)")
  }
}
