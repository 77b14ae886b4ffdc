import Testing

@testable import KithHost

/// What a control group tells of a program.
@Suite struct ProgramOriginTests {
  @Test(
    arguments: [
      (
        "0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-gnome-org.mozilla.firefox-1234.scope",
        "org.mozilla.firefox.desktop"
      ),
      ("0::/app.slice/app-org.gnome.Terminal@b3c.service", "org.gnome.Terminal.desktop"),
      ("0::/app.slice/app-flatpak-org.x.My\\x2dGame-77.scope", "org.x.My-Game.desktop"),
      ("0::/app.slice/app-game-9.scope", "game.desktop"),
      ("0::/app.slice/app-9.scope", nil), ("0::/app.slice", nil),
      ("0::/user.slice/session-2.scope", nil), ("0::/", nil), ("", nil),
      ("0::/app-\\xzz-a\\x2-1.scope", "a\\x2.desktop"),
    ] as [(String, String?)])
  func aUnitNamesItsDesktopFile(_ text: String, _ expected: String?) {
    #expect(ProgramOrigin(controlGroups: text).desktopFile == expected)
  }

  @Test func allUnitsAreNames() {
    let origin = ProgramOrigin(
      controlGroups: "12:cpu:/user.slice\n0::/user.slice/games.slice/app-tux-1.scope\n")
    #expect(
      Set(origin.names) == ["user.slice", "games.slice", "app-tux-1.scope", "tux.desktop"])
  }
}
