import Glibc
import HostileCalls

/// Files, folders and sockets by their path.
extension Probe {
  static let files: [Probe] = [
    Probe("files of others", "read, write, empty, remove, rename, name and add to a folder outside")
    {
      surroundings in
      let secret = "\(surroundings.bait)/secret"
      return [
        ("list", names(in: surroundings.bait).isEmpty ? .nothing("not there") : .gained("listed")),
        ("read", .opening(open(secret, O_RDONLY))), ("write", .opening(open(secret, O_WRONLY))),
        ("empty", .result(truncate(secret, 8))),
        ("remove", .result(unlink("\(surroundings.bait)/other"))),
        ("rename", .result(rename(secret, secret))),
        ("name", .result(link(secret, "\(surroundings.state)/name"))),
        ("add", .opening(open("\(surroundings.bait)/new", O_CREAT | O_WRONLY, 0o600))),
        ("folder", .result(mkdir("\(surroundings.bait)/folder", 0o700))),
      ]
    },
    Probe(
      "links", "a link of its own to a file outside, to the host's records and to another's state"
    ) {
      surroundings in
      [
        "\(surroundings.bait)/secret", "\(surroundings.root)/logs",
        "/proc/\(surroundings.host)/root/etc",
      ]
      .enumerated().map { index, target in
        let path = "\(surroundings.state)/link\(index)"
        unlink(path)
        symlink(target, path)
        defer { unlink(path) }
        return (target, .opening(open(path, O_RDONLY)))
      }
    },
    Probe("state of other workers", "list it, read it, put something in its place") {
      surroundings in
      let workers = "\(surroundings.root)/workers"
      let own = surroundings.state.split(separator: "/").last.map(String.init) ?? ""
      var parts: [(String, Outcome)] = [
        ("rename", .result(rename(surroundings.state, "\(workers)/gone"))),
        ("add", .result(mkdir("\(workers)/new", 0o700))),
        ("replace", .result(symlink(surroundings.bait, "\(workers)/even"))),
      ]
      for name in Set(names(in: workers) + ["even"]) where name != own {
        parts.append((name, .opening(open("\(workers)/\(name)", O_RDONLY))))
        for file in ["store.sqlite", "store.sqlite-wal"] {
          parts.append((file, .opening(open("\(workers)/\(name)/\(file)", O_RDONLY))))
        }
      }
      return parts
    },
    Probe("the host's records", "logs, lock, generations, records of processes and their secrets") {
      surroundings in
      let run = "\(surroundings.root)/run"
      let known =
        [
          surroundings.root, "\(surroundings.root)/host.lock",
          "\(surroundings.root)/generations.json",
          "\(surroundings.root)/wishes.json", "\(surroundings.root)/logs",
          "\(surroundings.root)/logs/kithd.log", "\(surroundings.root)/operator.token",
        ] + names(in: run).filter { !$0.hasSuffix(".sock") }.map { "\(run)/\($0)" }
      return known.flatMap { path -> [(String, Outcome)] in
        var status = stat()
        // A folder of sockets may be listed; what lies in it may not be read.
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK { return [] }
        return [
          ("read \(path)", .opening(open(path, O_RDONLY))),
          ("write \(path)", .opening(open(path, O_RDWR))),
        ]
      }
    },
    Probe("the ring of keys", "list it and read it") { surroundings in
      let keys = "\(surroundings.root)/keys"
      return [
        ("list", .opening(open(keys, O_RDONLY | O_DIRECTORY))),
        ("read", .opening(open("\(keys)/sealing.keys", O_RDONLY))),
        ("replace", .result(rename("\(keys)/sealing.keys", "\(surroundings.state)/ring"))),
      ]
    },
    Probe("its own plugin", "change the program that it will be started from again") {
      surroundings in
      [
        ("write", .opening(open("\(surroundings.plugin)/plugin.yaml", O_WRONLY))),
        ("add", .opening(open("\(surroundings.plugin)/new", O_CREAT | O_WRONLY, 0o700))),
        ("remove", .result(unlink("\(surroundings.plugin)/spare"))),
        ("program", .opening(open("/proc/self/exe", O_WRONLY))),
      ]
    },
    Probe("the system's files", "write to /etc, /usr, /proc/sys, core patterns, control groups") {
      _ in
      [
        "/etc/passwd", "/etc/ld.so.preload", "/etc/cron.d/kith", "/usr/bin/env",
        "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/kernel/hostname",
        "/proc/sys/vm/overcommit_memory", "/proc/sysrq-trigger", "/proc/self/oom_score_adj",
        "/proc/self/uid_map", "/proc/self/coredump_filter", "/sys/power/state",
        "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/pids/cgroup.procs",
      ].map { ($0, .opening(open($0, O_WRONLY))) }
    },
    Probe("devices", "memory, the kernel's log, disks, terminals; a device of its own") {
      surroundings in
      [
        "/dev/mem", "/dev/kmsg", "/dev/vda", "/dev/sda", "/dev/nvme0n1", "/dev/ptmx", "/dev/tty",
        "/dev/kvm", "/dev/fuse", "/dev/net/tun", "/dev/shm/kith", "/dev/console",
        "/dev/loop-control",
      ].map { ($0, .opening(open($0, O_RDWR | O_CREAT | O_NOCTTY, 0o600))) } + [
        ("mknod", .result(mknod("\(surroundings.state)/device", S_IFCHR | 0o600, 0x0101)))
      ]
    },
    Probe(
      "sockets of other programs",
      "connect by path: one outside, D-Bus, Docker, systemd, another product"
    ) {
      surroundings in
      [
        "\(surroundings.bait)/foreign.sock", "/run/dbus/system_bus_socket", "/var/run/docker.sock",
        "/run/docker.sock", "/run/containerd/containerd.sock", "/run/systemd/private",
        "/run/systemd/notify", "/var/run/postgresql/.s.PGSQL.5432", "/run/user/\(getuid())/bus",
      ].map { path in
        let socket = hostile_connect(path, 0)
        guard socket < 0 else {
          close(socket)
          return (path, .gained("connected"))
        }
        return (path, .nothing(String(cString: strerror(-socket))))
      }
    },
    Probe("sockets without a path", "connect to one that a process outside listens at") {
      surroundings in
      let socket = hostile_connect(surroundings.abstractName, 1)
      guard socket < 0 else {
        close(socket)
        return .gained("connected")
      }
      return .nothing(String(cString: strerror(-socket)))
    },
    Probe("descriptors by a socket", "send them to the host and wait for some of its own") {
      surroundings in
      let socket = hostile_connect("\(surroundings.root)/run/host.sock", 0)
      guard socket >= 0 else {
        return .nothing("no connection: \(String(cString: strerror(-socket)))")
      }
      defer { close(socket) }
      var sent = 0
      while sent < 64, hostile_send_descriptor(socket, 0) == 0 { sent += 1 }
      let count = hostile_received_descriptors(socket)
      return count == 0 ? .nothing("\(sent) sent, none came") : .gained("\(count) descriptors")
    },
    Probe("inherited descriptors", "what it was started with beyond its streams and pipes") {
      surroundings in
      let own = [surroundings.state, surroundings.plugin, "/dev/null", "/proc/", "/usr/"]
      let foreign = names(in: "/proc/self/fd").compactMap { number -> String? in
        // Sockets, pipes and the like are made; what has a path was opened.
        guard let descriptor = Int32(number), descriptor > 2,
          let path = link(at: "/proc/self/fd/\(descriptor)"), path.hasPrefix("/")
        else { return nil }
        return own.contains(where: path.hasPrefix) ? nil : path
      }
      return foreign.isEmpty ? .nothing("none") : .gained("\(foreign)")
    },
  ]
}
