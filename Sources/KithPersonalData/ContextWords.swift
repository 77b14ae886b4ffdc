/// What a word near a number says about it.
struct ContextMeaning: OptionSet, Hashable {
  let rawValue: UInt32

  static let socialSecurity = ContextMeaning(rawValue: 1 << 0)
  static let routing = ContextMeaning(rawValue: 1 << 1)
  static let account = ContextMeaning(rawValue: 1 << 2)
  static let phone = ContextMeaning(rawValue: 1 << 3)
  static let code = ContextMeaning(rawValue: 1 << 4)
  static let birth = ContextMeaning(rawValue: 1 << 5)
  static let license = ContextMeaning(rawValue: 1 << 6)
  static let passport = ContextMeaning(rawValue: 1 << 7)
  static let provider = ContextMeaning(rawValue: 1 << 8)
  static let prescriber = ContextMeaning(rawValue: 1 << 9)
  static let vehicle = ContextMeaning(rawValue: 1 << 10)
  static let securityCode = ContextMeaning(rawValue: 1 << 11)
  static let version = ContextMeaning(rawValue: 1 << 12)
  /// It counts or names something that is nobody's: an order, a parcel, a process.
  static let thing = ContextMeaning(rawValue: 1 << 13)
  /// A unit of measure, behind a number.
  static let unit = ContextMeaning(rawValue: 1 << 14)
  /// Before `code`: it is not a secret one.
  static let publicCode = ContextMeaning(rawValue: 1 << 15)
  /// The last of a longer number: `ending in 1234`.
  static let ending = ContextMeaning(rawValue: 1 << 16)
  static let medicare = ContextMeaning(rawValue: 1 << 17)
  static let card = ContextMeaning(rawValue: 1 << 18)
  static let network = ContextMeaning(rawValue: 1 << 19)
  /// It speaks of calling or writing. Programs do so too, of other things.
  static let calling = ContextMeaning(rawValue: 1 << 20)
  /// It names a key. A program numbers those that it seals with; a person has a key to a house.
  static let key = ContextMeaning(rawValue: 1 << 21)

  /// What gives a number its type.
  static let types: ContextMeaning = [
    .socialSecurity, .routing, .account, .phone, .license, .passport, .provider, .prescriber,
    .vehicle, .thing, .version, .medicare, .card,
  ]
}

/// The words that tell what a number is. English.
struct ContextWords {
  static let standard = ContextWords()

  private static let words: [(ContextMeaning, String)] = [
    (.socialSecurity, "ssn ssns social socials itin itins taxpayer"),
    (.routing, "routing aba rtn transit micr"),
    (.account, "account accounts acct acc checking savings"),
    (
      .phone,
      """
      phone phones telephone tel mobile mob cell cellphone fax whatsapp ph voicemail hotline helpline callback pager landline sms
      """
    ),
    (
      .calling,
      """
      call calls called calling caller dial dialed text texted texting txt message messages messaging reach reached contact \
      contacts signal answering answer ring rang desk registered
      """
    ),
    (.code, "code codes otp passcode pin verification authentication 2fa onetime"),
    (.birth, "born dob birth birthday birthdate bday"),
    (.license, "license licence dl dln driver drivers driving"),
    (.passport, "passport passports"),
    (.provider, "npi"),
    (.prescriber, "dea prescriber"),
    (.vehicle, "vin vehicle chassis"),
    (.securityCode, "cvv cvc cvv2 cvc2 csc"),
    (.version, "version versions ver v release releases build builds firmware"),
    (
      .thing,
      """
      order orders tracking track invoice reference ref confirmation conf case ticket serial item sku isbn upc ean imei \
      transaction txn po rma shipment parcel package booking reservation flight model part product id uuid batch docket \
      epoch timestamp unix pid port generation took size position offset count inode uid gid seq sequence stamp
      """
    ),
    (
      .unit,
      """
      ns us ms bytes byte seconds microseconds milliseconds nanoseconds kib mib gib kb mb gb dollars usd points people \
      views subscribers steps miles km times
      """
    ),
    (
      .publicCode,
      """
      zip area promo coupon discount postal error exit status dress country bar qr source color reason response gift \
      offer referral promotion product
      """
    ),
    (.ending, "ending ends"),
    (.key, "key keys keyid"),
    (.medicare, "medicare mbi beneficiary"),
    (.card, "card cards visa mastercard amex debit credit cc"),
    (
      .network,
      "ip ips ipv4 ipv6 address addresses src dst source destination host bind server unspecified loopback subnet gateway dns"
    ),
  ]

  private var table = WordTable()

  private init() {
    for (meaning, list) in Self.words { table.add(list, meaning.rawValue) }
  }

  /// What the word in these bytes says; nothing for most.
  func meaning(of bytes: [UInt8], _ range: Range<Int>) -> ContextMeaning {
    ContextMeaning(rawValue: table.value(of: bytes, range))
  }
}
