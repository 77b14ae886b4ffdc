import KithWire

extension FieldViolation {
  /// The violation as a detail of a status.
  var detail: StatusDetail {
    var writer = WireWriter()
    if !field.isEmpty {
      writer.varint(1 << 3 | 2)
      writer.text(field)
    }
    if !description.isEmpty {
      writer.varint(2 << 3 | 2)
      writer.text(description)
    }
    return StatusDetail(type: Self.typeName, value: writer.bytes)
  }

  /// The violation in a detail; nil when the detail is another or is damaged.
  init?(detail: StatusDetail) {
    guard detail.type == Self.typeName else { return nil }
    var field = ""
    var description = ""
    do throws(WireError) {
      try detail.value.withWireReader { (reader) throws(WireError) in
        while !reader.isAtEnd {
          let tag = try reader.tag()
          switch (tag.field, tag.type) {
          case (1, .lengthDelimited): field = try reader.text()
          case (2, .lengthDelimited): description = try reader.text()
          default: try reader.skip(tag)
          }
        }
      }
    } catch {
      return nil
    }
    self.init(field: field, description: description)
  }
}

extension CallExecution {
  /// The full name of the detail in the contract.
  static let typeName = "kith.rpc.v1.CallExecution"

  /// The knowledge as details of a status; none when nothing is known.
  var details: [StatusDetail] {
    // Field 1, the state, as a varint.
    guard number != 0 else { return [] }
    return [StatusDetail(type: Self.typeName, value: [1 << 3, number])]
  }

  /// The details of a status that says: not started, since the worker itself is not ready yet.
  static let detailsOfStartingWorker = [
    // Field 1, the state, and field 2, `worker_starting`.
    StatusDetail(type: typeName, value: [1 << 3, 1, 2 << 3, 1])
  ]

  /// Whether the details of a status say that the worker is not ready yet.
  static func tellsOfStartingWorker(_ details: [StatusDetail]) -> Bool {
    guard let detail = details.first(where: { $0.type == typeName }) else { return false }
    return detail.value.withWireReader { reader in
      var isStarting = false
      while !reader.isAtEnd, let tag = try? reader.tag() {
        if tag.field == 2, tag.type == .varint {
          guard let number = try? reader.varint() else { return isStarting }
          isStarting = number != 0
        } else {
          guard (try? reader.skip(tag)) != nil else { return isStarting }
        }
      }
      return isStarting
    }
  }

  /// What the details of a status tell.
  init(details: [StatusDetail]) {
    self = .unspecified
    guard let detail = details.first(where: { $0.type == Self.typeName }) else { return }
    detail.value.withWireReader { reader in
      while !reader.isAtEnd, let tag = try? reader.tag() {
        if tag.field == 1, tag.type == .varint {
          guard let number = try? reader.varint() else { return }
          self = Self(number: number)
        } else {
          guard (try? reader.skip(tag)) != nil else { return }
        }
      }
    }
  }

  private var number: UInt8 {
    switch self {
    case .notStarted: 1
    case .mayHaveRun: 2
    default: 0
    }
  }

  private init(number: UInt64) {
    switch number {
    case 1: self = .notStarted
    case 2: self = .mayHaveRun
    default: self = .unspecified
    }
  }
}
