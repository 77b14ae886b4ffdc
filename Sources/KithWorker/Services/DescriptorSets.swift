import KithWire

/// Joins the descriptor sets of several services into one.
enum DescriptorSets {
  /// One encoded `google.protobuf.FileDescriptorSet` with every file of the given ones, each once.
  ///
  /// Each set has its files after those that they import, so leaving out what has come before keeps
  /// that order.
  static func joined(_ sets: [[UInt8]]) throws(WireError) -> [UInt8] {
    var joined: [UInt8] = []
    var names: Set<String> = []
    for set in sets {
      try set.withWireReader { reader throws(WireError) in
        while !reader.isAtEnd {
          let start = reader.offset
          let tag = try reader.tag()
          // The one field of a set: `file`.
          guard tag.field == 1, tag.type == .lengthDelimited else {
            try reader.skip(tag)
            continue
          }
          let file = try reader.bytes()
          if names.insert(try name(ofFile: file)).inserted {
            joined += set[start..<reader.offset]
          }
        }
      }
    }
    return joined
  }

  /// The field `name` of a `FileDescriptorProto`.
  private static func name(ofFile bytes: UnsafeRawBufferPointer) throws(WireError) -> String {
    var reader = WireReader(bytes)
    var name = ""
    while !reader.isAtEnd {
      let tag = try reader.tag()
      if tag.field == 1, tag.type == .lengthDelimited {
        name = try reader.text()
      } else {
        try reader.skip(tag)
      }
    }
    return name
  }
}
