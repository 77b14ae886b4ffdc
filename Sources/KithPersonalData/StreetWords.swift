/// The words of US postal addresses: USPS Publication 28, appendices B and C.
struct StreetWords: OptionSet, Hashable {
  let rawValue: UInt32

  /// Ends a street's name, also where nothing is capitalised.
  static let suffix = StreetWords(rawValue: 1 << 0)
  /// Ends a street's name where that is capitalised; a common word otherwise.
  static let capitalSuffix = StreetWords(rawValue: 1 << 1)
  static let direction = StreetWords(rawValue: 1 << 2)
  static let unit = StreetWords(rawValue: 1 << 3)
  static let state = StreetWords(rawValue: 1 << 4)
  /// In no street's name.
  static let plain = StreetWords(rawValue: 1 << 5)

  private static let table: WordTable = {
    var table = WordTable()
    table.add(
      """
      street st avenue ave av road rd boulevard blvd lane ln drive dr court ct terrace ter highway hwy parkway pkwy turnpike tpke \
      expressway expy
      """, suffix.rawValue)
    table.add(
      """
      alley aly anex annex arcade arc bayou beach bch bend bnd bluff bluffs bottom branch br bridge brg brook brooks burg burgs bypass \
      byp camp canyon cyn cape causeway cswy center centers centre ctr circle circles cir cliff cliffs clf club common commons corner \
      corners cor course cove coves cv creek crk crescent cres crest crossing xing crossroad crossroads curve dale dam divide drives \
      estate estates est expressway extension extensions fall falls ferry field fields fld flat flats ford fords forest forge forges \
      fork forks fort freeway fwy garden gardens gdns gateway gtwy glen glens green greens grove groves grv harbor harbors hbr haven \
      heights hts hill hills hl hollow holw inlet island islands isle junction junctions jct key keys knoll knolls lake lakes land \
      landing lndg light lights loaf lock locks lodge loop mall manor manors meadow meadows mews mill mills mission motorway mount mt \
      mountain mountains mtn neck orchard orch oval overpass park parks parkways pass passage path pike pine pines place pl plain \
      plains plaza plz point points pt port ports prairie radial ramp ranch rapid rapids rest ridge ridges rdg river riv roads route \
      row rue run shoal shoals shore shores skyway spring springs spg spur spurs square squares sq station sta stravenue stream \
      streets summit smt terrace throughway trace track trafficway trail trails trl tunnel tunnels underpass union unions valley \
      valleys via viaduct view views village villages vlg ville vista walk walks wall way ways well wells
      """, capitalSuffix.rawValue)
    table.add(
      "north south east west northeast northwest southeast southwest n s e w ne nw se sw",
      direction.rawValue)
    table.add(
      """
      apt apartment suite ste unit room rm floor fl building bldg lot space spc trailer trlr penthouse ph box dept department \
      hangar pier slip lobby
      """, unit.rawValue)
    table.add(
      """
      al ak as az ar ca co ct de dc fm fl ga gu hi id il in ia ks ky la me mh md ma mi mn ms mo mt ne nv nh nj nm ny nc nd mp oh ok or \
      pw pa pr ri sc sd tn tx ut vt vi va wa wv wi wy aa ae ap
      """, state.rawValue)
    table.add(
      """
      a an the of to in on at by for and or is are was were be been it its he she they we you your my his her our their this that \
      these those down up from with off away more less than over about into minutes minute min mins hours hour days day weeks week \
      months month years year miles mile blocks block feet people cars times percent dollars new old next last per one two three \
      way ways can will has have had not no yes i
      """, plain.rawValue)
    return table
  }()

  /// What a word is in an address; nothing for most.
  static func of(_ bytes: [UInt8], _ word: Range<Int>) -> StreetWords {
    StreetWords(rawValue: table.value(of: bytes, word))
  }
}
