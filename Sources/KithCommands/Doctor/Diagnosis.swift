import HostContract
import KithManifest
import KithTerminal

/// What an examination comes to: pure, so that each rule can be tried without a machine that is
/// ill.
struct Diagnosis {
  let examination: Examination
  /// What a command needs to find the product, with a space in front: ` --root /tmp/demo`.
  var options = ""

  /// Everything that was looked at, in the order in which a person would look.
  var findings: [Finding] {
    var findings = hostFindings
    if case .answers(let status) = examination.host {
      findings += workers(status) + alerts(status) + logs(status) + degradations(status)
    }
    return findings + disks + places + keys + damage + sandbox + controlGroups + clock + user
  }

  // MARK: The product

  private var hostFindings: [Finding] {
    switch examination.host {
    case .missing(let reason): return [Finding("host", .action, SafeText.line(reason))]
    case .answers(let status):
      var findings = [
        Finding("host", .ok, "answers, pid \(status.hostPid), version \(line(status.hostVersion))")
      ]
      if status.hostVersion != KithVersion.current {
        findings.append(
          Finding(
            "host", .notice,
            "the host has version \(line(status.hostVersion)), and kith has \(KithVersion.current)",
            remedy: "`kith upgrade --host\(options)` runs the kithd beside this kith"))
      }
      if !status.failedUpgrade.isEmpty {
        findings.append(
          Finding(
            "host", .action, "the last upgrade of the host failed: \(line(status.failedUpgrade))",
            remedy: "mend the new kithd, then `kith upgrade --host --to FILE\(options)`"))
      }
      return findings
    }
  }

  private func workers(_ status: GetStatusResponse) -> [Finding] {
    let findings = status.workers.flatMap(findings)
    guard findings.isEmpty else { return findings }
    let count = status.workers.count
    return [Finding("workers", .ok, count == 1 ? "1 is ready" : "\(count) are ready")]
  }

  private func findings(of worker: WorkerStatus) -> [Finding] {
    let name = line(worker.name)
    let why = "`kith why \(name)\(options)` says more"
    func finding(_ state: Finding.State, _ text: String, _ remedy: String = why) -> Finding {
      let reason =
        worker.reason.isEmpty ? "" : ": \(CommandHint.located(line(worker.reason), options))"
      return Finding("workers", state, "\(name) \(text)\(reason)", remedy: remedy)
    }
    switch worker.state {
    case .ready:
      guard let health = worker.health else { return [] }
      if !health.live {
        return [finding(.action, "shows no progress", "it is replaced if that goes on; \(why)")]
      }
      return health.degradation.isEmpty
        ? []
        : [
          finding(
            .action,
            "serves with a part missing: \(CommandHint.located(line(health.degradation), options))")
        ]
    case .finished: return []
    case .stopped where !worker.wanted:
      return [
        finding(.notice, "was stopped by hand", "`kith start \(name)\(options)` starts it")
      ]
    case .starting, .draining: return [finding(.notice, "is \(StatusReport.words(worker.state))")]
    case .quarantined:
      return [
        finding(
          .action, "is in quarantine",
          "\(why); mend the cause, then `kith start \(name)\(options)`")
      ]
    default: return [finding(.action, "is \(StatusReport.words(worker.state))")]
    }
  }

  private func alerts(_ status: GetStatusResponse) -> [Finding] {
    let firing = status.alerts.filter { $0.state == .firing }
    if firing.isEmpty, !status.alerts.isEmpty { return [Finding("alerts", .ok, "none fires")] }
    return firing.map { alert in
      Finding(
        "alerts", alert.severity == .page ? .action : .notice,
        "\(line(alert.name)) fires for \(line(alert.worker)): \(line(alert.condition)); now "
          + line(alert.value),
        remedy:
          "`kith top --methods\(options)` and `kith logs \(line(alert.worker))\(options)` show "
          + "what happens")
    }
  }

  private func logs(_ status: GetStatusResponse) -> [Finding] {
    status.logTroubles.map { trouble in
      let lost = "\(trouble.linesLost) lines lost since the host started"
      guard !trouble.reason.isEmpty else {
        return Finding("logs", .notice, "log of \(line(trouble.name)): \(lost)")
      }
      return Finding(
        "logs", .action,
        "log of \(line(trouble.name)): \(line(trouble.reason)); \(trouble.linesWaiting) lines wait, \(lost)",
        remedy: "make room on the disk of \(line(status.root))/logs, and see that user "
          + "\(examination.user) may write there")
    }
  }

  /// What the host cannot keep, in its own words. What the machine lacks is nothing to be done
  /// tonight; the rest says itself what is to be done.
  private func degradations(_ status: GetStatusResponse) -> [Finding] {
    status.degradations.map { reason in
      let reason = line(reason)
      if reason.hasPrefix("no cgroup") || reason.contains(" controller: ") {
        return Finding("limits", .notice, reason, remedy: Self.controlGroupAdvice)
      }
      if reason.contains("Landlock") {
        return Finding("sandbox", .notice, reason, remedy: Self.landlockAdvice)
      }
      return Finding("host", Self.isCurable(reason) ? .action : .notice, reason)
    }
  }

  /// How the host begins what somebody can mend: a manifest that is wrong by now, a desired state
  /// that cannot be written, metrics without their port.
  private static let curable = [
    "what runs is as the manifest was", "should this host be killed", "metrics are not served",
  ]

  /// Whether a degradation is one that somebody can mend, and not a limit of the machine.
  static func isCurable(_ degradation: String) -> Bool {
    curable.contains(where: degradation.hasPrefix)
  }

  // MARK: The machine

  private static let mebibyte: UInt64 = 1 << 20

  private var disks: [Finding] {
    let findings = examination.disks.flatMap { disk -> [Finding] in
      let place = "\(disk.role) (\(SafeText.line(disk.path)))"
      if disk.isReadOnly {
        return [
          Finding(
            "disk", .action, "\(place) is on a read-only file system",
            remedy: "see `dmesg` for a failing disk; mount it for writing")
        ]
      }
      // The sockets are on a file system of memory, where little is written.
      let (low, lowest) =
        disk.role == "sockets"
        ? (64 * Self.mebibyte, 8 * Self.mebibyte) : (1024 * Self.mebibyte, 128 * Self.mebibyte)
      var findings: [Finding] = []
      if disk.freeBytes < low {
        findings.append(
          Finding(
            "disk", disk.freeBytes < lowest ? .action : .notice,
            "\(place) has \(Quantities.bytes(disk.freeBytes)) left",
            remedy: "make room there: below \(Quantities.bytes(lowest)) writes may soon fail"))
      }
      if let files = disk.freeFiles, files < 1000 {
        findings.append(
          Finding(
            "disk", .action, "\(place) has room for \(files) more files",
            remedy: "remove files there; bytes are not what is short"))
      }
      return findings
    }
    guard findings.isEmpty, !examination.disks.isEmpty else { return findings }
    let free = examination.disks.map { "\($0.role) \(Quantities.bytes($0.freeBytes))" }
    return [Finding("disk", .ok, "room left: \(free.joined(separator: ", "))")]
  }

  private var places: [Finding] {
    let findings = examination.places.compactMap { place -> Finding? in
      let path = SafeText.line(place.path)
      if place.owner != examination.user {
        return Finding(
          "permissions", .action,
          "\(place.role) (\(path)) belongs to user \(place.owner), and not to user "
            + "\(examination.user)",
          remedy: "run kith as that user, or `chown` it to the one that runs the product")
      }
      // The account of workers may pass through the folder of sockets, and no more.
      let closed: UInt32 = place.role == "sockets" ? 0o067 : 0o077
      guard UInt32(place.mode) & closed != 0 else { return nil }
      return Finding(
        "permissions", .action,
        "\(place.role) (\(path)) is open to others (mode \(String(place.mode, radix: 8)))",
        remedy: "`chmod \(place.isFolder ? "700" : "600") \(path)`")
    }
    guard findings.isEmpty, !examination.places.isEmpty else { return findings }
    return [Finding("permissions", .ok, "folders and keys are closed to others")]
  }

  private var keys: [Finding] {
    examination.missingKey.map { path in
      [
        Finding(
          "keys", .action, "there are stores, and the key that opens them is missing",
          remedy: "bring back \(SafeText.line(path)) from where it was kept, or a backup with the "
            + "key in it: `kith restore FILE --passphrase-file FILE`")
      ]
    } ?? []
  }

  private var damage: [Finding] {
    examination.damagedFiles.map { path in
      Finding(
        "damage", .notice, "\(SafeText.line(path)) was found damaged and is kept",
        remedy: "restore a backup if what was saved of it is not enough, then remove it")
    }
  }

  private static let landlockAdvice =
    "run a kernel of 6.7 or later with `landlock` among its security modules (lsm=)"

  private var sandbox: [Finding] {
    guard examination.landlock > 0, examination.hasSeccomp else {
      return [
        Finding(
          "sandbox", .notice,
          examination.landlock > 0
            ? "the kernel cannot filter system calls (seccomp)"
            : "the kernel has no Landlock: workers reach all files that this user does",
          remedy: Self.landlockAdvice)
      ]
    }
    return [Finding("sandbox", .ok, "Landlock \(examination.landlock), seccomp")]
  }

  private static let controlGroupAdvice =
    "start the product as a systemd service (`kith export systemd`) on a machine with control groups, version 2"

  /// A host says itself what it lacks.
  private var controlGroups: [Finding] {
    guard let controllers = examination.controllers else {
      guard case .missing = examination.host else { return [] }
      return [
        Finding(
          "limits", .notice, "this machine has no control groups of version 2",
          remedy: Self.controlGroupAdvice)
      ]
    }
    return [Finding("limits", .ok, "control groups: \(controllers.joined(separator: ", "))")]
  }

  /// The beginning of 2025, before which no machine runs this.
  private static let earliest: Int64 = 1_735_689_600_000

  private var clock: [Finding] {
    if examination.now < Self.earliest {
      return [
        Finding(
          "clock", .action, "the machine's clock shows a time before 2025",
          remedy: "set it, and have it kept (chrony, systemd-timesyncd): reminders go by it")
      ]
    }
    switch examination.isClockKept {
    case true: return [Finding("clock", .ok, "kept by another clock")]
    case false:
      return [
        Finding(
          "clock", .notice, "nothing keeps the machine's clock right",
          remedy: "`timedatectl set-ntp true`, or chrony, unless the machine that this one runs on "
            + "does")
      ]
    default: return [Finding("clock", .ok, "set; whether it is kept is not known")]
    }
  }

  private var user: [Finding] {
    guard examination.user == 0 else { return [] }
    return [
      Finding(
        "user", .notice, "kith runs as root",
        remedy: "run the product as a user of its own: `kith export systemd --run-as USER`")
    ]
  }

  private func line(_ text: String) -> String { SafeText.line(text) }
}
