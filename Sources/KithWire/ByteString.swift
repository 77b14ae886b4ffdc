/// A `ProtobufCBinaryData`: the members of the C type itself are out of reach of generated code,
/// since only this module imports libprotobuf-c.
@usableFromInline
@frozen
struct ByteString: BitwiseCopyable {
  @usableFromInline let count: Int
  @usableFromInline let data: UnsafeMutablePointer<UInt8>?

  @inlinable
  init(count: Int, data: UnsafeMutablePointer<UInt8>?) {
    self.count = count
    self.data = data
  }

  @inlinable
  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: data, count: count) }
}
