import KithManifest
import KithPlanning

/// What a host finds when it is told what to run.
struct ProductReading {
  var plan: Plan
  var places: ProductPlaces
  var source: ProductSource
  /// Why the manifests could not be read as they stand, so that those are run that were run before;
  /// nil when they could.
  var trouble: String?

  /// Reads the manifests of a product as they stand, those that were applied last in place of those
  /// that are named.
  ///
  /// Where they are wrong and workers of an earlier host run, they are read as that host had them:
  /// a mistake in a file must not be what leaves workers without a host.
  init(
    _ startedWith: ProductSource, root: String?, environment: [String: String]
  ) throws(HostFailure) {
    do throws(HostFailure) {
      self = try Self.standing(startedWith, root, environment)
    } catch {
      guard error.kind == .badInput, let left = Self.left(startedWith, root, environment) else {
        throw error
      }
      self = left
      let lines = error.description.split(separator: "\n")
      trouble =
        "\(lines.first ?? "")"
        + (lines.count > 1 ? " (and \(lines.count - 1) more: see `kith plan`)" : "")
    }
  }

  private init(plan: Plan, places: ProductPlaces, source: ProductSource) {
    self.plan = plan
    self.places = places
    self.source = source
  }

  private static func standing(
    _ startedWith: ProductSource, _ root: String?, _ environment: [String: String]
  ) throws(HostFailure) -> ProductReading {
    let plan: Plan
    do throws(ManifestErrors) {
      plan = try startedWith.plan(environment: environment)
    } catch {
      throw HostFailure(.badInput, "\(error)")
    }
    let places: ProductPlaces
    do throws(ManifestError) {
      places = try ProductPlaces(product: plan.product, root: root, environment: environment)
    } catch {
      throw HostFailure(.badInput, "\(error)")
    }
    guard let running = RunningManifest(at: places), running.startedWith == startedWith,
      running.source != startedWith
    else { return ProductReading(plan: plan, places: places, source: startedWith) }
    let applied: Plan
    do throws(ManifestErrors) {
      applied = try running.source.plan(environment: environment)
    } catch {
      throw HostFailure(
        .badInput,
        "\(running.source.product), which was applied last, cannot be run: \(error)\n"
          + "mend it, or remove \(places.runningManifestFile) to run \(startedWith.product)")
    }
    guard applied.product == places.product else {
      throw HostFailure(
        .badInput,
        "\(running.source.product), which was applied last, is now the product \(applied.product), "
          + "not \(places.product); mend it, or remove \(places.runningManifestFile)")
    }
    return ProductReading(plan: applied, places: places, source: running.source)
  }

  /// What an earlier host ran that was started with the same words, if workers of it still run.
  private static func left(
    _ startedWith: ProductSource, _ root: String?, _ environment: [String: String]
  ) -> ProductReading? {
    for places in OrphanedProduct.places(product: nil, root: root, environment: environment) {
      guard let left = OrphanedProduct(at: places), !left.workers.isEmpty,
        let running = left.running, running.startedWith == startedWith,
        let plan = try? running.manifests.plan(),
        let places = try? ProductPlaces(
          product: plan.product, root: root, environment: environment)
      else { continue }
      return ProductReading(plan: plan, places: places, source: running.source)
    }
    return nil
  }
}
