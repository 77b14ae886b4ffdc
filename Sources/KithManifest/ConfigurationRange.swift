/// The values from one bound to another, both included; either may be left open: `0..1`, `1s..`,
/// `..64KiB`.
public struct ConfigurationRange: Sendable, Hashable, CustomStringConvertible {
  /// The range as the manifest writes it.
  public let description: String

  private let lower: Magnitude?
  private let upper: Magnitude?

  /// A value on the scale of its type: whole numbers, bytes and nanoseconds are exact.
  enum Magnitude: Sendable, Hashable {
    case whole(Int128)
    case real(Double)

    static func <= (left: Magnitude, right: Magnitude) -> Bool {
      switch (left, right) {
      case (.whole(let left), .whole(let right)): left <= right
      case (.real(let left), .real(let right)): left <= right
      // Both bounds and the value are read by the same type; the mixed case does not occur.
      case (.whole(let left), .real(let right)): Double(left) <= right
      case (.real(let left), .whole(let right)): left <= Double(right)
      }
    }
  }

  /// Reads a range whose bounds `magnitude` understands. `nil` when it is no such range or is
  /// empty.
  init?(_ text: String, magnitude: (String) -> Magnitude?) {
    guard let dots = text.firstRange(of: "..") else { return nil }
    let lowerText = String(text[..<dots.lowerBound])
    let upperText = String(text[dots.upperBound...])
    guard !lowerText.isEmpty || !upperText.isEmpty else { return nil }
    lower = lowerText.isEmpty ? nil : magnitude(lowerText)
    upper = upperText.isEmpty ? nil : magnitude(upperText)
    if lower == nil, !lowerText.isEmpty { return nil }
    if upper == nil, !upperText.isEmpty { return nil }
    if let lower, let upper, !(lower <= upper) { return nil }
    description = text
  }

  /// Whether the value is inside.
  func contains(_ value: Magnitude) -> Bool {
    (lower.map { $0 <= value } ?? true) && (upper.map { value <= $0 } ?? true)
  }
}
