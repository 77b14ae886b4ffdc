/// A host with letters that are not ASCII, written as they are or in punycode.
struct ForeignHost {
  /// A label with such letters.
  struct Label {
    /// Its scalars, lower case.
    var scalars: [UInt32]
    /// As it reads in ASCII; `?` for what has no such form.
    var folded: [UInt8]
    /// Its skeleton, case folded.
    var skeleton: [UInt32]
    /// In punycode, with `xn--`.
    var encoded: [UInt8]
  }

  /// The host as it is resolved: ASCII, `xn--` where there are other letters.
  private(set) var resolved: [UInt8] = []
  /// The labels that are not ASCII.
  private(set) var labels: [Label] = []
  /// Whether a label was given in punycode.
  private(set) var isPunycoded = false
  /// Whether a label mixes scripts.
  private(set) var isMixed = false

  /// A host of lower-case scalars; a full stop of another script parts labels as well.
  init(_ scalars: [UInt32]) {
    let parts = scalars.split(omittingEmptySubsequences: false) {
      $0 == 0x2E || $0 == 0x3002 || $0 == 0xFF0E || $0 == 0xFF61
    }
    for (index, part) in parts.enumerated() {
      if index > 0 { resolved.append(UInt8(ascii: ".")) }
      add(Array(part))
    }
  }

  /// A host of ASCII; nil when no label is punycode.
  init?(punycoded host: [UInt8]) {
    guard Self.hasPunycode(host) else { return nil }
    self.init(host.map(UInt32.init))
    guard isPunycoded else { return nil }
  }

  private static func hasPunycode(_ host: [UInt8]) -> Bool {
    var index = 0
    while index + 4 < host.count {
      if host[index] == 0x78, host[index + 1] == 0x6E, host[index + 2] == 0x2D,
        host[index + 3] == 0x2D, index == 0 || host[index - 1] == 0x2E
      {
        return true
      }
      index += 1
    }
    return false
  }

  private mutating func add(_ given: [UInt32]) {
    var scalars = given
    let isASCII = given.allSatisfy { $0 < 0x80 }
    if isASCII {
      let bytes = given.map { UInt8($0) }
      guard bytes.starts(with: [0x78, 0x6E, 0x2D, 0x2D]),
        let decoded = Punycode.decode(Array(bytes.dropFirst(4))),
        decoded.contains(where: { $0 >= 0x80 })
      else {
        resolved.append(contentsOf: bytes)
        return
      }
      scalars = decoded
      isPunycoded = true
    }
    // Fullwidth and mathematical letters are resolved as the plain ones.
    var mapped: [UInt32] = []
    for scalar in scalars {
      if scalar >= 0x80, let folding = FoldTable.shared.folding(of: scalar),
        folding.kind == .compatibility
      {
        var packed = folding.packed
        while packed != 0 {
          mapped.append(packed & 0xFF)
          packed >>= 8
        }
      } else {
        mapped.append(Self.lowercased(scalar))
      }
    }
    let encoded: [UInt8]
    if mapped.allSatisfy({ $0 < 0x80 }) {
      encoded = mapped.map { UInt8($0) }
    } else {
      encoded = Array("xn--".utf8) + (Punycode.encode(mapped) ?? Array("?".utf8))
    }
    resolved.append(contentsOf: encoded)
    let table = SkeletonTable.shared
    let skeleton = table.skeleton(of: scalars.map(Self.lowercased)).map(Self.lowercased)
    labels.append(
      Label(
        scalars: scalars, folded: Punycode.folded(scalars), skeleton: skeleton, encoded: encoded))
    if ScriptTable.shared.isMixed(scalars) { isMixed = true }
  }

  /// A label in punycode as it reads in ASCII.
  func folded(_ encoded: [UInt8]) -> [UInt8] {
    labels.first { $0.encoded == encoded }?.folded ?? encoded
  }

  private static func lowercased(_ scalar: UInt32) -> UInt32 {
    if scalar < 0x80 { return scalar &- 0x41 < 26 ? scalar | 0x20 : scalar }
    guard let properties = Unicode.Scalar(scalar)?.properties, properties.changesWhenLowercased
    else { return scalar }
    return properties.lowercaseMapping.unicodeScalars.first?.value ?? scalar
  }
}
