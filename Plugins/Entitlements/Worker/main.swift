import EntitlementsService
import KithStore
import KithTime
import KithWorker
import KithWorkerStore

/// Ends plans and reservations.
struct DueWorkOfEntitlements: DueWork {
  let due: DueEntitlements

  func nextDue() async throws -> Instant? { try await due.nextDue() }
  func run(at now: Instant) async throws { try await due.run() }
}

@Sendable func read(_ configuration: WorkerConfiguration) throws -> EntitlementsSettings {
  var settings = try EntitlementsSettings(
    plans: configuration.strings("plans"), features: configuration.strings("features"),
    limits: configuration.strings("limits"), products: configuration.strings("products"),
    safety: configuration.strings("safety"), person: configuration.string("person"),
    zone: configuration.string("zone"), countsTests: configuration.bool("count_tests"))
  try settings.sellAtApple(
    bundleID: configuration.string("apple_bundle_id"),
    appAppleID: configuration.integer("apple_app_id"),
    roots: configuration.strings("apple_root_files"),
    environments: configuration.strings("apple_environments"))
  try settings.sellAtGoogle(
    package: configuration.string("google_package"), key: configuration.string("google_key"))
  try settings.sellAtStripe(
    secretFiles: configuration.strings("stripe_secret_files"),
    grace: configuration.duration("stripe_grace"))
  try settings.sellAtRevenueCat(
    authorizationFile: configuration.string("revenue_cat_authorization_file"))
  return try settings.checked(in: Zones())
}

try await Worker.run(settings: read) { context, settings in
  let clock = context.clock
  let store = try await context.openStore(migrations: EntitlementsSchema.migrations)
  try context.followFamilyLinks(into: store)
  let service = try EntitlementsService(
    store: store, product: context.product, settings: settings, now: { clock.now },
    changed: { clock.dataChanged() })
  clock.run(DueWorkOfEntitlements(due: service.due))
  context.onConfigurationChange(
    of: [
      "plans", "features", "limits", "products", "safety", "person", "zone", "count_tests",
      "apple_bundle_id", "apple_app_id", "apple_root_files", "apple_environments",
      "google_package", "google_key", "stripe_secret_files", "stripe_grace",
      "revenue_cat_authorization_file",
    ]
  ) { configuration in
    try service.use(try read(configuration))
  }
  return [service.definition]
}
