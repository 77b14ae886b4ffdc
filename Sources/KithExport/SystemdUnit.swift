import KithManifest
package import KithPlanning

/// A systemd unit that runs a product.
package struct SystemdUnit {
  /// Whose service manager runs it.
  package enum Manager {
    /// That of the machine, which runs it as this user.
    case system(user: String)
    /// A person's own.
    case user
  }

  /// The product.
  package let plan: Plan
  /// Whose service manager runs it.
  package let manager: Manager
  /// The path of `kithd`.
  package let program: String
  /// What `kithd` is called with.
  package let arguments: [String]
  /// The one folder that everything is in; nil for the manager's own.
  package var root: String?

  /// The unit of a product.
  package init(
    plan: Plan, manager: Manager, program: String, arguments: [String], root: String? = nil
  ) {
    self.plan = plan
    self.manager = manager
    self.program = program
    self.arguments = arguments
    self.root = root
  }

  /// The name of the file: `kith-boomer-buddy.service`.
  package var fileName: String { "kith-\(plan.product).service" }

  /// The unit.
  package var text: String {
    (heading + unit + service + hardening + install).joined(separator: "\n") + "\n"
  }

  private var heading: [String] {
    let (folder, flag) =
      switch manager {
      case .system: ("/etc/systemd/system", "")
      case .user: ("~/.config/systemd/user", "--user ")
      }
    var user: [String] = []
    if case .system(let name) = manager {
      user = [
        "#   make the user, if there is none: useradd --system --shell /usr/sbin/nologin \(name)"
      ]
    }
    return ["# Written by `kith export systemd`. To install it:"] + user + [
      "#   write it to \(folder)/\(fileName)",
      "#   systemctl \(flag)daemon-reload && systemctl \(flag)enable --now \(fileName)", "",
    ]
  }

  private var unit: [String] {
    [
      "[Unit]", "Description=\(Self.escaped(plan.title)) (Kith)",
      // Workers may listen on the network; where none does this costs nothing.
      "After=network.target",
      "# However often kithd dies: without it nobody looks after the workers, which go on.",
      "StartLimitIntervalSec=0", "",
    ]
  }

  private var service: [String] {
    var lines = [
      "[Service]",
      "# kithd says itself when it takes orders, that it ends, and every few seconds that it is alive.",
      "Type=notify", "NotifyAccess=main", "WatchdogSec=30s",
      "ExecStart=" + ([program] + arguments).map(Self.quoted).joined(separator: " "),
      "# `systemctl reload` applies the manifest as it stands on disk; the log says what came of it.",
      "ExecReload=/bin/kill -HUP $MAINPID",
      "Restart=on-failure", "RestartSec=1s",
      "# Wrong usage and a wrong manifest are not mended by trying again.",
      "RestartPreventExitStatus=64 65",
      "# Only kithd is signalled: it ends its workers itself, and when it dies they go on until the next one takes them over.",
      "KillMode=process",
      "# Each worker has its time to end, one after the other.",
      "TimeoutStopSec=\(stopSeconds)s",
      "# kithd makes a group of its own for each worker where it may, and decides itself what a worker that ran out of memory means.",
      "Delegate=yes", "OOMPolicy=continue", "UMask=0077",
    ]
    if case .system(let user) = manager {
      lines.append("User=\(user)")
    }
    if case .system = manager, let root {
      lines.append("ReadWritePaths=" + Self.quoted(root))
    } else if case .system = manager {
      lines += [
        "# State in /var/lib/kith/\(plan.product), sockets in /run/kith/\(plan.product). The sockets outlive a crash, as workers do.",
        "Environment=XDG_STATE_HOME=/var/lib XDG_RUNTIME_DIR=/run",
        "StateDirectory=kith/\(plan.product)", "StateDirectoryMode=0700",
        "RuntimeDirectory=kith/\(plan.product)", "RuntimeDirectoryMode=0700",
        "RuntimeDirectoryPreserve=restart",
      ]
    }
    return lines + [""]
  }

  /// The sum of the times that the workers have to end, and some for kithd.
  private var stopSeconds: Int64 {
    plan.workers.reduce(10) { $0 + $1.stopTimeout.components.seconds + 1 }
  }

  private var hardening: [String] {
    // What a user's own service manager can enforce too.
    var lines = [
      "NoNewPrivileges=yes", "LockPersonality=yes", "RestrictRealtime=yes", "RestrictSUIDSGID=yes",
      "SystemCallArchitectures=native",
    ]
    if case .system = manager {
      lines += [
        "CapabilityBoundingSet=", "AmbientCapabilities=", "ProtectSystem=strict",
        "ProtectHome=read-only", "PrivateTmp=\(usesTemporaryFolder ? "no" : "yes")",
        "PrivateDevices=yes", "ProtectClock=yes",
        "ProtectHostname=yes", "ProtectKernelLogs=yes", "ProtectKernelModules=yes",
        "ProtectKernelTunables=yes", "ProtectProc=invisible",
        "# Each worker has a mount namespace of its own, which takes a user namespace where kithd is not root.",
        "RestrictNamespaces=user mnt",
        "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6",
        "# Not ProtectControlGroups: that would take back what Delegate gives.",
      ]
    }
    return lines + [""]
  }

  /// Whether something that it names would be hidden by a temporary folder of its own.
  private var usesTemporaryFolder: Bool {
    ([program] + arguments).contains { $0.hasPrefix("/tmp/") || $0.hasPrefix("/var/tmp/") }
  }

  private var install: [String] {
    switch manager {
    case .system: ["[Install]", "WantedBy=multi-user.target"]
    case .user: ["[Install]", "WantedBy=default.target"]
    }
  }

  // MARK: Quoting

  /// A word of a command line: quoted where it must be, with nothing left that systemd would put
  /// something else in place of.
  package static func quoted(_ word: String) -> String {
    let text = escaped(word).replacing("$", with: "$$")
    let isPlain =
      !text.isEmpty
      && text.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20)
          || "/-_.,:=+@%".utf8.contains($0)
      }
    guard !isPlain else { return text }
    let inner = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return "\"\(inner)\""
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("%", with: "%%").replacing("\n", with: " ")
  }
}
