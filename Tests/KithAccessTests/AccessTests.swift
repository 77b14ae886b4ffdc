import KithAccess
import Testing

/// Who may do what to whose records: every caller, every action, every person, under every set of
/// links between three.
@Suite struct AccessTests {
  private static let people = ["ada", "laura", "eve"].compactMap(UserID.init)
  private static let everyLink = people.flatMap { senior in
    people.filter { $0 != senior }.flatMap { family in
      FamilyLink.Role.allCases.map { FamilyLink(senior: senior, family: family, role: $0) }
    }
  }

  /// What is right, told in another way than the code does: by looking for a reason.
  private func isRight(
    _ action: Access.Action, on user: UserID, by caller: Caller, _ links: Set<FamilyLink>
  ) -> Bool {
    guard case .user(let own) = caller else { return caller == .product }
    if own == user { return true }
    let isViewer = links.contains(FamilyLink(senior: user, family: own, role: .viewer))
    let isCaregiver = links.contains(FamilyLink(senior: user, family: own, role: .caregiver))
    return switch action {
    case .read: isViewer || isCaregiver
    case .change: isCaregiver
    case .own: false
    }
  }

  @Test func everyDecisionIsRight() throws {
    #expect(Self.everyLink.count == 12)
    let callers = Self.people.map(Caller.user) + [.product, .stranger]
    for mask in 0..<(1 << Self.everyLink.count) {
      let links = Set(
        Self.everyLink.indices.filter { mask >> $0 & 1 == 1 }.map { Self.everyLink[$0] })
      for caller in callers {
        let access = Access(of: caller, links: links)
        for action in Access.Action.allCases {
          let all = access.grantAll(action)
          for user in Self.people {
            let expected = isRight(action, on: user, by: caller, links)
            let grant = try? access.grant(action, on: user)
            // Not `#expect` for each: these are a million.
            guard (grant != nil) == expected, all.covers(action, on: user) == expected,
              grant.map({ $0.users == [user] && $0.covers(action, on: user) }) ?? true
            else {
              Issue.record("\(caller) \(action) \(user) under \(links): expected \(expected)")
              return
            }
          }
        }
      }
    }
  }

  @Test func aGrantCoversNoMoreThanWasAskedFor() throws {
    let ada = try #require(UserID("ada"))
    let eve = try #require(UserID("eve"))
    let access = Access(of: .user(ada))
    for asked in Access.Action.allCases {
      let grant = try access.grant(asked, on: ada)
      for action in Access.Action.allCases {
        #expect(grant.covers(action, on: ada) == (action <= asked), "\(asked) \(action)")
        #expect(!grant.covers(action, on: eve))
      }
    }
  }

  @Test func aDenialDoesNotTellWhetherThereIsSuchAPerson() throws {
    let ada = try #require(UserID("ada"))
    let nobody = try #require(UserID("nobody"))
    let access = Access(of: .stranger)
    let one = #expect(throws: Access.Denial.self) { _ = try access.grant(.read, on: ada) }
    let other = #expect(throws: Access.Denial.self) { _ = try access.grant(.read, on: nobody) }
    #expect(one == other && one?.description.contains("ada") == false)
    #expect(access.grantAll(.read).users == [])
  }

  @Test func aUserIDIsANameThatSaysNothing() {
    for text in [
      "a", "8f14e45f-ceea-467f-a0e6-12cb8f1a2b3c", "A.b_c:1", String(repeating: "x", count: 64),
    ] {
      #expect(UserID(text)?.text == text)
    }
    for text in ["", " ", "a b", "ä", "a\0", "a\n", "a'", "a%", String(repeating: "x", count: 65)] {
      #expect(UserID(text) == nil, "\(text)")
    }
  }
}
