import KithJSON

// A file of flagd, as far as it says the same: states, variants, the default variant. Targeting is
// JsonLogic, which Kith does not have, and its shares are drawn otherwise.

extension FlagFile {
  mutating func read(flagd value: JSONValue) throws(FlagProblem) {
    guard let flags = value["flags"]?.objectValue else {
      throw FlagProblem("flags", "expected an object of flags by key")
    }
    for member in flags {
      do throws(FlagProblem) {
        self.flags[member.name] = try Self.flagd(member.value)
      } catch {
        problems.append(error.inside(member.name))
      }
    }
  }

  private static func flagd(_ flag: JSONValue) throws(FlagProblem) -> JSONValue {
    guard let state = flag["state"]?.stringValue, ["ENABLED", "DISABLED"].contains(state) else {
      throw FlagProblem("state", "expected ENABLED or DISABLED")
    }
    if let targeting = flag["targeting"], targeting != [:], !targeting.isNull {
      throw FlagProblem("targeting", "Kith has no JsonLogic: write rules")
    }
    guard let variants = flag["variants"]?.objectValue, !variants.isEmpty else {
      throw FlagProblem("variants", "expected an object of values")
    }
    guard let standard = flag["defaultVariant"]?.stringValue, variants[standard] != nil else {
      throw FlagProblem("defaultVariant", "expected one of the variants")
    }
    return [
      "enabled": .bool(state == "ENABLED"), "variants": .object(variants),
      "variant": .string(standard),
    ]
  }
}
