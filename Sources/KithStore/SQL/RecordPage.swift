/// A part of the records that a query finds, in their order.
public struct RecordPage<Record: RowRecord>: Sendable {
  /// The records.
  public var records: [Record]
  /// The place behind the last record, from which the next page goes on; nil if no more follow.
  public var next: [StoreValue]?

  /// A page.
  public init(records: [Record], next: [StoreValue]? = nil) {
    self.records = records
    self.next = next
  }
}
