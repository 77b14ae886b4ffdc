import CLinux
import Glibc
import Synchronization

/// A thread of its own that waits for descriptors and deadlines and runs the jobs of the actors
/// that it serves.
///
/// The host's state is touched on this one thread only: what a descriptor reports, what a call asks
/// for and what time brings come one after the other, and each is carried out before the next. The
/// thread may block for the length of a small write to disk; Swift's shared threads never do.
final class Reactor: SerialExecutor {
  /// What is called when a descriptor has something to say.
  typealias Callback = @Sendable () -> Void

  /// What waits for the thread.
  private enum Job {
    case job(UnownedJob)
    case call(Callback)
  }

  private struct State {
    var jobs: [Job] = []
    var callbacks: [UInt64: (descriptor: Descriptor, callback: Callback)] = [:]
    var nextKey: UInt64 = 1
    /// The one alarm: when, and what to call.
    var alarms: [ObjectIdentifier: (at: ContinuousClock.Instant, callback: Callback)] = [:]
    var isStopping = false
    var isSignalled = false
  }

  private let state = Mutex(State())
  /// The thread's number, for `checkIsolated`; 0 until it runs.
  private let thread = Atomic<UInt>(0)
  private let poller: Descriptor
  private let wakeup: Descriptor
  private let name: String

  /// Starts the thread. `name` shows in `top -H`; at most 15 bytes.
  init(name: String) throws(SystemError) {
    self.name = name
    let pollerNumber = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard pollerNumber >= 0 else { throw SystemError("create an epoll instance") }
    poller = Descriptor(taking: pollerNumber)
    let wakeupNumber = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard wakeupNumber >= 0 else { throw SystemError("create an event descriptor") }
    wakeup = Descriptor(taking: wakeupNumber)
    try add(wakeup, key: 0)
    var thread = pthread_t()
    // The thread keeps the reactor alive until `stop`.
    let context = Unmanaged.passRetained(self).toOpaque()
    let code = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Reactor>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context)
    guard code == 0 else {
      Unmanaged<Reactor>.fromOpaque(context).release()
      throw SystemError("create a thread", code: code)
    }
    pthread_detach(thread)
  }

  // MARK: Jobs

  /// Runs a job of an actor on the reactor's thread.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    wake { $0.jobs.append(.job(job)) }
  }

  /// Calls back on the reactor's thread, in the order in which this was asked for.
  func perform(_ callback: @escaping Callback) {
    wake { $0.jobs.append(.call(callback)) }
  }

  /// Ends the thread after the jobs that wait.
  func stop() {
    wake { $0.isStopping = true }
  }

  // MARK: Descriptors

  /// Says that a descriptor is watched; give it back to `ignore`.
  struct Watch: Hashable {
    fileprivate var key: UInt64
  }

  /// Calls back on the reactor's thread for as long as the descriptor is readable or at its end.
  func watch(_ descriptor: Descriptor, _ callback: @escaping Callback) throws(SystemError) -> Watch
  {
    let key = state.withLock { state in
      let key = state.nextKey
      state.nextKey += 1
      state.callbacks[key] = (descriptor, callback)
      return key
    }
    do {
      try add(descriptor, key: key)
    } catch {
      state.withLock { _ = $0.callbacks.removeValue(forKey: key) }
      throw error
    }
    return Watch(key: key)
  }

  /// Watches a descriptor no longer; the callback is not called again when this is called on the
  /// reactor's thread.
  func ignore(_ watch: Watch) {
    let entry = state.withLock { $0.callbacks.removeValue(forKey: watch.key) }
    if let entry {
      epoll_ctl(poller.number, EPOLL_CTL_DEL, entry.descriptor.number, nil)
    }
  }

  /// Calls back once at a time; a later call for the same owner replaces it, nil takes it back.
  func setAlarm(
    for owner: AnyObject, at instant: ContinuousClock.Instant?, _ callback: @escaping Callback
  ) {
    wake { state in
      state.alarms[ObjectIdentifier(owner)] = instant.map { ($0, callback) }
    }
  }

  // MARK: The thread

  private func add(_ descriptor: Descriptor, key: UInt64) throws(SystemError) {
    var event = epoll_event()
    event.events = EPOLLIN.rawValue
    event.data.u64 = key
    guard epoll_ctl(poller.number, EPOLL_CTL_ADD, descriptor.number, &event) == 0 else {
      throw SystemError("watch a descriptor")
    }
  }

  /// Changes the state and wakes the thread, unless it has been woken already.
  private func wake(_ change: (inout State) -> Void) {
    let mustWake = state.withLock { state in
      change(&state)
      defer { state.isSignalled = true }
      return !state.isSignalled
    }
    if mustWake { eventfd_write(wakeup.number, 1) }
  }

  /// Lets an actor that is served here be used from a callback: traps on any other thread.
  func checkIsolated() {
    precondition(
      thread.load(ordering: .relaxed) == UInt(pthread_self()),
      "used outside of the reactor's thread")
  }

  private func run() {
    thread.store(UInt(pthread_self()), ordering: .relaxed)
    kith_linux_name_thread(name)
    var events = [epoll_event](repeating: epoll_event(), count: 64)
    while true {
      let (jobs, alarms, next, isStopping) = state.withLock { state in
        let jobs = state.jobs
        state.jobs = []
        state.isSignalled = false
        let now = ContinuousClock.now
        let due = state.alarms.filter { $0.value.at <= now }
        for key in due.keys { state.alarms[key] = nil }
        let alarms = due.values.sorted { $0.at < $1.at }.map(\.callback)
        return (jobs, alarms, state.alarms.values.map(\.at).min(), state.isStopping)
      }
      for job in jobs {
        switch job {
        case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
        case .call(let callback): callback()
        }
      }
      for alarm in alarms { alarm() }
      if isStopping && jobs.isEmpty { return }
      // What ran may have asked for more; then the wake-up has been written, and waiting ends at
      // once.
      let count = epoll_wait(
        poller.number, &events, Int32(events.count), Self.milliseconds(until: next))
      guard count > 0 else { continue }
      for event in events[..<Int(count)] {
        let key = event.data.u64
        if key == 0 {
          var value: eventfd_t = 0
          eventfd_read(wakeup.number, &value)
        } else {
          // Looked up one by one: a callback before this one may have ended the watch.
          state.withLock { $0.callbacks[key]?.callback }?()
        }
      }
    }
  }

  /// The wait in epoll's terms: rounded up, so that it does not wake before the time; -1 is for
  /// ever.
  private static func milliseconds(until instant: ContinuousClock.Instant?) -> Int32 {
    guard let instant else { return -1 }
    let (seconds, attoseconds) = (instant - .now).components
    if seconds < 0 || attoseconds < 0 { return 0 }
    if seconds > 3600 { return 3_600_000 }
    return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
