/// How well a card was remembered.
public enum Grade: Int, Sendable, Hashable, CaseIterable {
  case again = 1
  case hard, good, easy
}
