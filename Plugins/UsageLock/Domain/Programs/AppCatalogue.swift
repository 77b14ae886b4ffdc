/// Apps that people often lock, with what each system calls them.
public enum AppCatalogue {
  /// An app of the catalogue.
  public struct App: Sendable, Hashable {
    /// Its name.
    public let name: String
    /// What kind it is: `game`.
    public let kind: String
    /// Its package on Android; empty for none.
    public let android: String
    /// Its bundle on iOS; empty for none.
    public let ios: String
    /// Its desktop file on Linux; empty for none.
    public let linux: String
  }

  /// All of them, by kind and name.
  public static let apps: [App] = table.split(separator: "\n").map { line in
    let fields = line.split(separator: "|", omittingEmptySubsequences: false).map {
      $0.trimmingBlanks
    }
    return App(
      name: fields[1], kind: fields[0], android: fields[2], ios: fields[3], linux: fields[4])
  }.sorted { ($0.kind, $0.name) < ($1.kind, $1.name) }

  /// Those whose name or kind has a text, in any case.
  public static func apps(with text: String) -> [App] {
    let text = text.lowercased()
    return text.isEmpty
      ? apps : apps.filter { "\($0.name)\n\($0.kind)".lowercased().contains(text) }
  }

  /// Names as the stores of apps and Flathub have them.
  private static let table = """
    social|Facebook|com.facebook.katana|com.facebook.Facebook|
    social|Instagram|com.instagram.android|com.burbn.instagram|
    social|LinkedIn|com.linkedin.android|com.linkedin.LinkedIn|
    social|Mastodon|org.joinmastodon.android|org.joinmastodon.app|dev.geopjr.Tuba.desktop
    social|Pinterest|com.pinterest|pinterest|
    social|Reddit|com.reddit.frontpage|com.reddit.Reddit|
    social|Snapchat|com.snapchat.android|com.toyopagroup.picaboo|
    social|Threads|com.instagram.barcelona|com.burbn.barcelona|
    social|TikTok|com.zhiliaoapp.musically|com.zhiliaoapp.musically|
    social|Tumblr|com.tumblr|com.tumblr.tumblr|
    social|X|com.twitter.android|com.atebits.Tweetie2|
    video|Disney+|com.disney.disneyplus|com.disney.disneyplus|
    video|FreeTube|||io.freetubeapp.FreeTube.desktop
    video|Netflix|com.netflix.mediaclient|com.netflix.Netflix|
    video|Prime Video|com.amazon.avod.thirdpartyclient|com.amazon.aiv.AIVApp|
    video|Twitch|tv.twitch.android.app|tv.twitch|
    video|VLC|org.videolan.vlc|org.videolan.vlc-ios|org.videolan.VLC.desktop
    video|YouTube|com.google.android.youtube|com.google.ios.youtube|
    game|Candy Crush Saga|com.king.candycrushsaga|com.midasplayer.apps.candycrushsaga|
    game|Clash of Clans|com.supercell.clashofclans|com.supercell.magic|
    game|Clash Royale|com.supercell.clashroyale|com.supercell.scroll|
    game|Minecraft|com.mojang.minecraftpe|com.mojang.minecraftpe|com.mojang.Minecraft.desktop
    game|Pokemon GO|com.nianticlabs.pokemongo|com.nianticlabs.pokemongo|
    game|Roblox|com.roblox.client|com.roblox.robloxmobile|org.vinegarhq.Sober.desktop
    game|Steam|com.valvesoftware.android.steam.community|com.valvesoftware.Steam|com.valvesoftware.Steam.desktop
    game|SuperTux|org.supertux.supertux2||org.supertuxproject.SuperTux.desktop
    shopping|Amazon|com.amazon.mShop.android.shopping|com.amazon.Amazon|
    shopping|eBay|com.ebay.mobile|com.ebay.iphone|
    shopping|Shein|com.zzkko|zzkko.com.ZZKKO|
    shopping|Temu|com.einnovation.temu|com.einnovation.temu|
    news|Apple News||com.apple.news|
    news|Google News|com.google.android.apps.magazines|com.google.GoogleNews|
    dating|Bumble|com.bumble.app|com.moxco.bumble|
    dating|Hinge|co.hinge.app|co.hinge.mobile.ios|
    dating|Tinder|com.tinder|com.cardify.tinder|
    browser|Chrome|com.android.chrome|com.google.chrome.ios|com.google.Chrome.desktop
    browser|Chromium|||org.chromium.Chromium.desktop
    browser|Firefox|org.mozilla.firefox|org.mozilla.ios.Firefox|org.mozilla.firefox.desktop
    browser|Safari||com.apple.mobilesafari|
    chat|Discord|com.discord|com.hammerandchisel.discord|com.discordapp.Discord.desktop
    chat|Messenger|com.facebook.orca|com.facebook.Messenger|
    chat|Telegram|org.telegram.messenger|ph.telegra.Telegraph|org.telegram.desktop.desktop
    chat|WhatsApp|com.whatsapp|net.whatsapp.WhatsApp|
    """
}

extension Substring {
  fileprivate var trimmingBlanks: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
