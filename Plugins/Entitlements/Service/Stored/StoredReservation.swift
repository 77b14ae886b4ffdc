import Crypto
import EntitlementsDomain
import KithAccess
import KithStore
import KithTime

/// A reservation as a row. Of its key there is only a fingerprint.
struct StoredReservation: UserRecord {
  static let table = "reservation"

  let id: String
  let user: UserID
  let quota: String
  var reservation: Quota.Reservation

  static func id(_ user: UserID, _ quota: String, key: String) -> String {
    let digest = SHA256.hash(data: Array(key.utf8)).prefix(16)
      .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return "\(user)/\(quota)/\(digest)"
  }

  init(id: String, user: UserID, quota: String, reservation: Quota.Reservation) {
    (self.id, self.user, self.quota, self.reservation) = (id, user, quota, reservation)
  }

  init(_ row: RecordReader) throws {
    id = try row["id"]
    user = try row.user()
    quota = try row["quota"]
    guard let state = Quota.Reservation.State(rawValue: try row["state"]) else {
      throw row.unreadable("state", expected: "a state of a reservation")
    }
    reservation = Quota.Reservation(
      amount: try row["amount"], counted: try row["counted"],
      expires: Instant(milliseconds: try row["expires_at_ms"]), state: state)
  }

  func write(to row: inout RecordWriter) throws {
    row.set("quota", quota)
    row.set("amount", reservation.amount)
    row.set("counted", reservation.counted)
    row.set("state", reservation.state.rawValue)
    row.set("expires_at_ms", reservation.expires.milliseconds)
  }
}
