import SwiftASN1

/// The parts of a certificate that its owner must know (RFC 5280, section 4.1).
struct CertificateFields: DERParseable {
  let notBefore: String
  let notAfter: String
  let key: PublicKeyFields

  init(derEncoded node: ASN1Node) throws {
    self = try DER.sequence(node, identifier: .sequence) { nodes in
      guard let body = nodes.next() else { throw ASN1Error.truncatedASN1Field() }
      let fields = try DER.sequence(body, identifier: .sequence) { nodes in
        try CertificateFields(toBeSigned: &nodes)
      }
      // The algorithm and the signature, which are for others to check.
      while nodes.next() != nil {}
      return fields
    }
  }

  private init(toBeSigned nodes: inout ASN1NodeCollection.Iterator) throws {
    var rest: [ASN1Node] = []
    while let node = nodes.next() { rest.append(node) }
    // The version is left out where it is the first.
    if rest.first?.identifier == ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific) {
      rest.removeFirst()
    }
    // The serial number, the algorithm, the issuer, the time, the subject and its key.
    guard rest.count >= 6 else { throw ASN1Error.truncatedASN1Field() }
    (notBefore, notAfter) = try DER.sequence(rest[3], identifier: .sequence) { nodes in
      (try Self.time(nodes.next()), try Self.time(nodes.next()))
    }
    key = try PublicKeyFields(derEncoded: rest[5])
  }

  private static func time(_ node: ASN1Node?) throws -> String {
    guard let node else { throw ASN1Error.truncatedASN1Field() }
    if node.identifier == .utcTime {
      let time = try UTCTime(derEncoded: node)
      return text([time.year, time.month, time.day, time.hours, time.minutes, time.seconds])
    }
    let time = try GeneralizedTime(derEncoded: node)
    return text([time.year, time.month, time.day, time.hours, time.minutes, time.seconds])
  }

  /// `2026-11-21T08:00:00Z`
  private static func text(_ parts: [Int]) -> String {
    func padded(_ number: Int, _ count: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
    let date = [padded(parts[0], 4), padded(parts[1], 2), padded(parts[2], 2)]
    let time = parts[3...].map { padded($0, 2) }
    return date.joined(separator: "-") + "T" + time.joined(separator: ":") + "Z"
  }
}
