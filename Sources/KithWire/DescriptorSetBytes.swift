/// Puts a descriptor set together from the files that the generator embeds. For generated code.
public enum DescriptorSetBytes {
  /// The files one behind the other, each encoded as a `file` of
  /// `google.protobuf.FileDescriptorSet`.
  public static func joined(_ files: [(bytes: UnsafePointer<UInt8>?, count: Int)]) -> [UInt8] {
    var set: [UInt8] = []
    set.reserveCapacity(files.reduce(0) { $0 + $1.count })
    for file in files { set += UnsafeBufferPointer(start: file.bytes, count: file.count) }
    return set
  }
}
