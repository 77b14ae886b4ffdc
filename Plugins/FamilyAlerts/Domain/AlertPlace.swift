/// A place on the Earth (WGS 84).
public struct AlertPlace: Sendable, Hashable {
  /// Latitude in degrees, -90 to 90.
  public let latitude: Double
  /// Longitude in degrees, -180 to 180.
  public let longitude: Double

  /// A place; nil for anything but degrees.
  public init?(latitude: Double, longitude: Double) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }

  /// A link to a map, to five decimals: about a metre.
  public var link: String {
    "https://www.openstreetmap.org/?mlat=\(Self.decimal(latitude))&mlon=\(Self.decimal(longitude))"
  }

  private static func decimal(_ degrees: Double) -> String {
    let number = Int((degrees.magnitude * 100_000).rounded())
    let part = "\(number % 100_000)"
    return "\(degrees < 0 ? "-" : "")\(number / 100_000)."
      + String(repeating: "0", count: 5 - part.count) + part
  }
}
