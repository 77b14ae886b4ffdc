extension RestartPolicy: CustomStringConvertible {
  /// The policy on a line: `permanent, rest_for_one, 5 in 30s; stuck 2 in 1m`.
  public var description: String {
    var text = "\(kind.rawValue), \(strategy.rawValue), \(budget)"
    for cause in Cause.allCases {
      if let own = budgets[cause] { text += "; \(cause.rawValue) \(own)" }
    }
    let standard = Backoff()
    if backoff.shortest != standard.shortest || backoff.longest != standard.longest
      || backoff.healthyAfter != standard.healthyAfter
    {
      text +=
        "; backoff \(backoff.shortest.short) to \(backoff.longest.short), "
        + "anew after \(backoff.healthyAfter.short)"
    }
    if backoff.shortestQuarantine != standard.shortestQuarantine
      || backoff.longestQuarantine != standard.longestQuarantine
    {
      text +=
        "; quarantine \(backoff.shortestQuarantine.short) to \(backoff.longestQuarantine.short)"
    }
    return text
  }
}

extension RestartPolicy.Budget: CustomStringConvertible {
  /// `5 in 30s`.
  public var description: String { "\(intensity) in \(period.short)" }
}

extension Duration {
  /// As a manifest has it, in the largest unit that comes out whole: `30s`, `250ms`, `10m`.
  package var short: String {
    let milliseconds = inMilliseconds
    for (unit, size) in [("d", Int64(86_400_000)), ("h", 3_600_000), ("m", 60_000), ("s", 1_000)]
    where milliseconds > 0 && milliseconds % size == 0 {
      return "\(milliseconds / size)\(unit)"
    }
    return milliseconds == 0 ? "0s" : "\(milliseconds)ms"
  }
}
