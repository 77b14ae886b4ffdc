import KithTime

/// The next eight o'clock in the morning somewhere, also over a change of the clocks.
func nextBreakfast(after now: Instant, in name: String, zones: Zones) throws(ZoneError) -> Instant {
  let zone = try zones.zone(named: name)
  let eight = CivilTime(secondOfDay: 8 * 3600)
  let today = zone.civil(at: now).date
  let breakfast = zone.instant(of: today.at(eight))
  return breakfast > now ? breakfast : zone.instant(of: today.adding(days: 1).at(eight))
}
