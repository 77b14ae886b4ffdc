import KithWire
import Testing

@Suite struct UnknownFieldsTests {
  private let fields: [UInt8] = {
    var writer = WireWriter()
    writer.varint(51001 << 3)
    writer.varint(0)
    writer.varint(51001 << 3)
    writer.varint(1)
    writer.varint(51002 << 3 | 2)
    writer.text("en-US")
    return writer.bytes
  }()

  @Test func theLastFieldWithANumberCounts() throws {
    let unknown = try UnknownFields(encoded: fields)
    #expect(unknown.varint(51001) == 1)
    #expect(unknown.text(51002) == "en-US")
    #expect(unknown.bytes(51002) == [UInt8]("en-US".utf8))
    #expect(unknown.varint(51002) == nil)
    #expect(unknown.text(1) == nil)
    #expect(unknown.bytes == fields)
  }

  @Test func bytesThatAreNoFieldsAreRefused() {
    #expect(throws: WireError.self) { try UnknownFields(encoded: [0x0a, 9]) }
  }
}
