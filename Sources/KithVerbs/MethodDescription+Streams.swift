package import KithReflection

extension MethodDescription {
  /// Whether it has more than one message either way.
  package var isStreaming: Bool { isClientStreaming || isServerStreaming }

  /// Which ways it has more than one message, for a list of verbs; nil for none.
  package var streamsInWords: String? {
    switch (isClientStreaming, isServerStreaming) {
    case (false, false): nil
    case (true, false): "takes a stream"
    case (false, true): "answers with a stream"
    case (true, true): "a stream both ways"
    }
  }
}
