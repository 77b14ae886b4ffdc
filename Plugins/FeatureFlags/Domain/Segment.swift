/// A named group: all of its conditions hold.
public struct Segment: Sendable, Equatable {
  let conditions: [Condition]
}
