import Glibc

/// A kind of movement that traces are made of.
struct Scenario: Sendable {
  var name: String
  /// Whether a candidate is right; nil where no verdict can be asked.
  var isFall: Bool?
  var make: @Sendable (UInt64) -> Trace

  private init(
    _ name: String, isFall: Bool?, tremor: Double = 0.02,
    _ script: @escaping @Sendable (inout Movement) -> Void
  ) {
    self.name = name
    self.isFall = isFall
    make = { seed in
      var movement = Movement(seed: seed, tremor: tremor)
      script(&movement)
      return movement.trace
    }
  }

  static let all = falls + drops + dailyLife

  static let falls = [
    Scenario("fall while walking, then still", isFall: true) { m in
      m.walk(6)
      m.fall(m.between(0.3, 0.6), depth: m.between(0.4, 0.8), tiltTo: m.between(50, 80))
      m.blow(m.between(3, 8), seconds: m.between(0.06, 0.14), tiltTo: m.between(80, 100))
      m.go(0.5) { part, _ in (0.5 * cos(20 * part) * (1 - part), 0) }
      m.go(12)
    },
    Scenario("fall from a chair, then still", isFall: true) { m in
      m.go(6)
      m.fall(m.between(0.25, 0.4), depth: m.between(0.3, 0.6), tiltTo: m.between(50, 80))
      m.blow(m.between(2.5, 5), seconds: m.between(0.06, 0.14), tiltTo: m.between(75, 100))
      m.go(0.5) { part, _ in (0.4 * cos(20 * part) * (1 - part), 0) }
      m.go(12)
    },
    Scenario("fall, then trying to get up without success", isFall: true) { m in
      m.walk(6)
      m.fall(m.between(0.3, 0.6), depth: m.between(0.4, 0.8), tiltTo: 70)
      m.blow(m.between(3, 7), seconds: m.between(0.06, 0.14), tiltTo: 90)
      m.go(2)
      for _ in 0..<4 {
        m.go(1, tiltTo: m.between(70, 85)) { part, _ in (0.15 * sin(9 * part), 0.1) }
        m.go(1.5, tiltTo: 90)
      }
    },
    Scenario("slow slump from a chair (no impact)", isFall: nil) { m in
      m.go(6)
      m.go(m.between(2, 4), tiltTo: 85) { part, _ in (-0.1 * sin(6 * part), 0) }
      m.go(12)
    },
    Scenario("wheelchair tips over with its user", isFall: nil) { m in
      m.go(6) { _, time in (0.05 * sin(40 * time), 0) }
      m.fall(m.between(0.6, 0.9), depth: m.between(0.1, 0.3), tiltTo: m.between(50, 70))
      m.blow(m.between(1.2, 2.2), seconds: m.between(0.08, 0.15))
      m.go(2) { part, _ in (0.3 * sin(9 * part), 0.2 * cos(11 * part)) }
      m.go(8) { part, _ in (0.1 * sin(30 * part), 0) }
    },
  ]

  static let drops = [
    Scenario("device drops onto the floor", isFall: false) { m in
      m.go(5)
      m.leaveBody()
      let seconds = m.between(0.3, 0.5)
      m.drop(seconds, depth: m.between(0.85, 1), tiltTo: m.between(-60, 120))
      m.blow(seconds * 40, seconds: 0.025)
      m.drop(m.between(0.08, 0.15), depth: 0.95, tiltTo: m.between(60, 180))
      m.blow(m.between(3, 8), seconds: 0.015)
      m.go(10)
    },
    Scenario("device drops onto a couch", isFall: false) { m in
      m.go(5)
      m.leaveBody()
      let seconds = m.between(0.3, 0.45)
      m.drop(seconds, depth: m.between(0.85, 1), tiltTo: m.between(-60, 120))
      m.blow(seconds * 20, seconds: 0.07)
      m.go(0.4, tiltTo: m.between(60, 120)) { part, _ in (0.4 * cos(20 * part) * (1 - part), 0) }
      m.go(10)
    },
    Scenario("device set down hard on a table", isFall: false) { m in
      m.go(5) { _, time in (0.1 * sin(5 * time), 0.08 * cos(4 * time)) }
      m.go(0.8, tiltTo: m.between(60, 100)) { part, _ in (-0.1 * sin(.pi * part), 0) }
      m.blow(m.between(2, 5), seconds: m.between(0.01, 0.03))
      m.leaveBody()
      m.go(10)
    },
    Scenario("device put into a pocket", isFall: false) { m in
      m.go(5) { _, time in (0.1 * sin(5 * time), 0.08 * cos(4 * time)) }
      m.go(1, tiltTo: m.between(80, 150)) { part, _ in (0.3 * sin(7 * part), 0.2) }
      m.blow(m.between(0.5, 1.2), seconds: 0.05)
      m.walk(10)
    },
  ]

  static let dailyLife = [
    Scenario("sitting down hard, then active", isFall: false) { m in
      m.walk(5)
      m.fall(0.35, depth: m.between(0.2, 0.45), tiltTo: 30)
      m.blow(m.between(1.4, 2.6), seconds: m.between(0.06, 0.12), tiltTo: 10)
      m.go(8) { _, time in (0.06 * sin(8 * time), 0.08 * sin(3 * time)) }
    },
    Scenario("sitting down hard, then still", isFall: false) { m in
      m.walk(5)
      m.fall(0.35, depth: m.between(0.2, 0.45), tiltTo: 25)
      m.blow(m.between(1.4, 2.6), seconds: m.between(0.06, 0.12), tiltTo: m.between(5, 25))
      m.go(10)
    },
    Scenario("lying down", isFall: false) { m in
      m.walk(5)
      m.go(2, tiltTo: 20) { part, _ in (-0.15 * sin(6.28 * part), 0) }
      m.go(m.between(1.2, 2.5), tiltTo: 90) { part, _ in (-0.1 * sin(6.28 * part), 0) }
      m.blow(m.between(0.2, 0.6), seconds: 0.15)
      m.go(10)
    },
    Scenario("stumble, walks on", isFall: false) { m in
      m.walk(5)
      m.fall(0.2, depth: m.between(0.3, 0.6), tiltTo: 20)
      m.blow(m.between(2, 4), seconds: m.between(0.06, 0.12), tiltTo: 5)
      m.walk(8)
    },
    Scenario("stairs", isFall: false) { m in
      for _ in 0..<16 {
        m.fall(0.2, depth: m.between(0.2, 0.4))
        m.blow(m.between(0.8, 2), seconds: 0.1)
        m.go(0.25)
      }
    },
    Scenario("jogging", isFall: false) { m in
      for _ in 0..<36 {
        m.fall(0.15, depth: m.between(0.6, 0.95))
        m.blow(m.between(1.8, 4), seconds: 0.14)
        m.go(0.08)
      }
    },
    Scenario("jumping, then standing still", isFall: false) { m in
      m.go(5)
      for _ in 0..<3 {
        m.blow(m.between(0.8, 1.5), seconds: 0.2)
        m.fall(m.between(0.2, 0.4), depth: 1)
        m.blow(m.between(2.5, 6), seconds: 0.1)
        m.go(1)
      }
      m.go(8)
    },
    Scenario("car over bumps", isFall: false) { m in
      for _ in 0..<6 {
        m.go(3) { _, time in (0.12 * sin(70 * time) + 0.08 * sin(23 * time), 0.1 * sin(1.5 * time))
        }
        m.fall(0.12, depth: 0.4)
        m.blow(m.between(1, 2.5), seconds: m.between(0.06, 0.12))
      }
    },
    Scenario("wheelchair tilts over a kerb", isFall: false) { m in
      m.go(5) { _, time in (0.06 * sin(50 * time), 0.03 * sin(3 * time)) }
      m.go(1, tiltTo: m.between(10, 25))
      m.blow(m.between(1, 2.2), seconds: 0.08, tiltTo: 0)
      m.go(8) { _, time in (0.06 * sin(50 * time), 0.03 * sin(3 * time)) }
    },
  ]
}
