import KithTime
import Logging
import WorkerContract

/// What a worker's own code works with through its ``WorkerContext``, and its runtime from the
/// other side.
struct WorkerParts: Sendable {
  /// Where the worker logs.
  var logger: Logger
  /// What the worker says about its health.
  var health: WorkerHealth
  /// The clocks that the worker's own code goes by; what leads its life goes by the machine's.
  var clock: WorkerClock
  /// Which changes of its configuration it takes over while it runs.
  var configurationChanges = ConfigurationChanges()
  /// Tasks in the background, and services of the SDK's own.
  var backgroundTasks = BackgroundTasks()
  /// How far its events were published and consumed.
  var eventStandings = EventStandings()
  /// Its sealing keys; none where nothing is kept.
  var handedKeys = HandedKeys()
  /// How its store is kept.
  var storeOrders = StoreOrders()
}
