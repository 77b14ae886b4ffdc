import Glibc
import KithManifest
import KithPlanning
import KithSupervision

/// What this machine lets a host keep of the limits of its workers.
struct ResourceControl: Sendable {
  /// How much memory the stacks of a process's threads reserve, which the kernel counts as data
  /// whether it is used or not.
  private static let stackAllowance: UInt64 = 256 << 20

  /// The control groups of version 2, or why there are none.
  private let controlGroups: Result<ControlGroups, SystemError>
  /// Those of version 1 that count processes where version 2 does not; nil where there are none
  /// either.
  private let countingGroups: CountingGroups?

  /// Takes hold of the control groups that this process runs in.
  init() {
    controlGroups = Result { () throws(SystemError) in try ControlGroups() }
    let counts = (try? controlGroups.get())?.controllers.contains(.pids) == true
    countingGroups = counts ? nil : CountingGroups()
  }

  /// Gives the host's own groups back; they must be empty.
  func remove() {
    if case .success(let groups) = controlGroups { groups.remove() }
    countingGroups?.remove()
  }

  // MARK: Processes

  /// Makes the groups that a process of a worker is to be started in.
  func makeGroups(
    for incarnation: Incarnation, _ limits: ResourceLimits
  ) throws(SystemError) -> ProcessGroups {
    var groups = ProcessGroups()
    if case .success(let all) = controlGroups {
      groups.limiting = try all.make("\(incarnation)", limits)
    }
    do throws(SystemError) {
      groups.counting = try countingGroups?.make(
        "\(incarnation)", mostProcesses: limits.mostProcesses)
    } catch {
      groups.remove()
      throw error
    }
    return groups
  }

  /// The groups that an earlier host made for a process, which still runs in them.
  func groups(of pid: Int32, _ incarnation: Incarnation) -> ProcessGroups {
    ProcessGroups(
      limiting: try? controlGroups.get().group(of: pid, named: "\(incarnation)"),
      counting: CountingGroups.group(of: pid, named: "\(incarnation)"))
  }

  /// What bounds the memory of a process where no control group does.
  func dataBytes(of limits: ResourceLimits) -> UInt64? {
    guard !controllers.contains(.memory) else { return nil }
    return limits.memoryBytes.map { $0 + Self.stackAllowance }
  }

  /// What bounds the processes of a worker where only its user namespace can.
  func processesInNamespace(of limits: ResourceLimits) -> Int? {
    processBound == .userNamespace ? limits.mostProcesses : nil
  }

  /// What keeps a worker from starting processes without end.
  private enum ProcessBound {
    /// A control group of version 2, or one of version 1.
    case controlGroup, countingGroup
    /// The user namespace that the process has for itself: what RLIMIT_NPROC bounds is counted in
    /// it alone.
    case userNamespace
    /// Nothing: the kernel does not count root's processes.
    case none
  }

  /// What bounds the processes of workers on this machine.
  private var processBound: ProcessBound {
    if controllers.contains(.pids) { return .controlGroup }
    if countingGroups != nil { return .countingGroup }
    guard case .success(.asUser) = PrivateRoot.way, geteuid() != 0 else { return .none }
    return KernelVersion.current >= KernelVersion(5, 14) ? .userNamespace : .none
  }

  private var controllers: Set<ControlGroups.Controller> {
    (try? controlGroups.get())?.controllers ?? []
  }

  // MARK: Degradations

  /// What this machine lacks to keep the limits and the confinement of a plan's workers, for
  /// people.
  func degradations(of plan: Plan, account: WorkerAccount?) -> [String] {
    var degradations: [String] = []
    if case .failure(let error) = controlGroups {
      degradations.append(
        "no cgroup: \(error); what a worker leaves behind is found by its environment"
          + ((try? PrivateRoot.way.get()) == nil ? " alone" : " and its mount namespace"))
    }
    for controller in ControlGroups.Controller.allCases
    where controller != .pids || processBound == .none {
      let unkept = unkeptLimits(controller, of: plan)
      guard !unkept.isEmpty else { continue }
      degradations.append("no \(controller.rawValue) controller: \(unkept)")
    }
    if processBound == .none {
      degradations.append(
        "no bound on processes: a worker can start them without end; run the host as a user of its "
          + "own, or where it may divide a control group with a pids controller")
    }
    return degradations + Self.confinementTroubles(account)
  }

  /// What of the confinement of workers this machine does not keep, and what that lets them do.
  private static func confinementTroubles(_ account: WorkerAccount?) -> [String] {
    var troubles: [String] = []
    if geteuid() == 0, account == nil {
      troubles.append(
        "the host runs as root: workers have none of root's powers, but read what only root may "
          + "in /etc and /usr; run it as a user of its own (systemd: `User=`), or name an account for its workers "
          + "(`kith up --worker-account NAME`)")
    }
    switch Confinement.landlockVersion {
    case 0: troubles.append("no Landlock: workers reach all files that this user does")
    case ..<4: troubles.append("an old Landlock: workers reach ports that are not granted")
    case ..<6:
      troubles.append(
        "an old Landlock: workers can signal this user's processes and reach abstract sockets")
    default: break
    }
    if case .failure(let error) = PrivateRoot.way {
      troubles.append(
        "no private root: \(error); workers reach sockets of other programs by their path, "
          + "such as those of D-Bus and Docker")
    }
    return troubles
  }

  /// The limits that would need a controller, and whose they are: `limits.cpu of a, b is not kept`.
  private func unkeptLimits(
    _ controller: ControlGroups.Controller, of plan: Plan
  ) -> String {
    var workers: [(limit: String, names: [String])] = []
    for worker in plan.workers {
      for limit in ControlGroups.unkept(worker.limits, controllers)[controller] ?? [] {
        if let index = workers.firstIndex(where: { $0.limit == limit }) {
          workers[index].names.append(worker.name)
        } else {
          workers.append((limit, [worker.name]))
        }
      }
    }
    return workers.map { limit, names in
      let isAll = names.count > 1 && names.count == plan.workers.count
      let whose = isAll ? "all workers" : names.joined(separator: ", ")
      let fate = limit == "memory" ? "kept for the data of each process by itself" : "not kept"
      return "limits.\(limit) of \(whose) is \(fate)"
    }.joined(separator: "; ")
  }
}
