/// How hashes are divided.
public enum Buckets: String, Sendable, Hashable {
  /// Over all 2^32 hashes, without a remainder.
  case whole
  /// As Unleash does: a hundred buckets, and as many as a split has weights. Flags that come from
  /// there keep those who were in.
  case unleash
}
