/// What a worker answered to a unary call, still encoded.
struct Answer: Equatable {
  var message: ArraySlice<UInt8>
  var metadata: Metadata
  var trailers: Metadata
}
