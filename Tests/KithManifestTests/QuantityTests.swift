import KithJSON
import KithManifest
import Testing

@Suite struct QuantityTests {
  private func value(_ type: String, _ text: String) -> JSONValue? {
    try? PluginManifest(
      parsing: """
        plugin: a
        version: 1.0.0
        executable: a
        config: { key: { type: \(type), default: \(text) } }
        """, file: "plugin.yaml"
    ).configuration["key"]?.defaultValue
  }

  @Test(arguments: [
    ("30s", "30s"), ("500ms", "0.5s"), ("2m", "120s"), ("1h30m", "5400s"), ("1.5s", "1.5s"),
    ("1ns", "0.000000001s"), ("1d", "86400s"), ("0s", "0s"), ("1m0.25s", "60.25s"),
    ("\"30s\"", "30s"), ("30", nil), ("s", nil), ("-1s", nil), ("1s1m", nil), ("1s 2ms", nil),
    ("1sec", nil), ("1.s", nil), (".5s", nil), ("1..5s", nil), ("1e3s", nil), ("0.5ns", nil),
    ("99999999999999999999s", nil), ("36501d", nil), ("1s2s", nil),
  ])
  func readsTimes(text: String, seconds: String?) {
    #expect(value("duration", text) == seconds.map { .string($0) })
  }

  @Test(
    arguments: [
      ("256MiB", 256 << 20), ("64KiB", 65_536), ("1.5GiB", 3 << 29), ("10MB", 10_000_000),
      ("512B", 512), ("1kB", 1_000), ("0B", 0), ("1TiB", 1 << 40), ("512", nil), ("1K", nil),
      ("1 MiB", nil), ("0.5B", nil), ("1MiB1KiB", nil), ("99999999TiB", nil), ("-1B", nil),
    ] as [(String, Int64?)])
  func readsAmountsOfMemory(text: String, bytes: Int64?) {
    #expect(value("bytes", text) == bytes.map { .integer($0) })
  }
}
