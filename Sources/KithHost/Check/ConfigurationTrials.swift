import KithJSON
import KithManifest
public import KithPlanning

/// Asks the programs of a product's workers whether they take their configuration, before anything
/// is started.
public enum ConfigurationTrials {
  /// How long all programs together may take. They run side by side.
  static let limit = Duration.seconds(5)

  /// A verdict for each worker, in start order.
  ///
  /// Blocks for at most the limit, and the time that it takes to end what is left of the programs.
  /// - Throws: ``HostFailure`` when the manifests are wrong or the worker account cannot be used.
  public static func verdicts(
    product: String, pluginFolders: [String], root: String?
  ) throws(HostFailure) -> [ConfigurationVerdict] {
    let environment = ProcessEnvironment.current
    let plan: Plan
    do throws(ManifestErrors) {
      plan = try ProductSource(product: product, folders: pluginFolders)
        .plan(environment: environment)
    } catch {
      throw HostFailure(.badInput, "\(error)")
    }
    let places: ProductPlaces
    do throws(ManifestError) {
      places = try ProductPlaces(
        product: plan.product, root: root.map(ProcessEnvironment.absolutePath),
        environment: environment)
    } catch {
      throw HostFailure(.badInput, "\(error)")
    }
    return verdicts(of: try HostSettings(plan: plan, places: places, environment: environment))
  }

  /// A verdict for each worker of these settings, in start order.
  ///
  /// - Parameter names: the workers that are asked. Defaults to all.
  static func verdicts(
    of settings: HostSettings, only names: Set<String>? = nil, within limit: Duration = limit
  ) -> [ConfigurationVerdict] {
    let deadline = ContinuousClock.now + limit
    let workers = settings.plan.workers.filter { names?.contains($0.name) ?? true }
    let trials = workers.map { worker in
      // Without keys there is nothing to refuse.
      worker.configuration.isEmpty
        ? nil
        : Result { () throws(SystemError) in try ConfigurationTrial(of: worker, settings: settings)
        }
    }
    return zip(workers, trials).map { worker, trial in
      switch trial {
      case nil: ConfigurationVerdict(worker: worker.name, .notOffered)
      case .success(let trial)?: trial.verdict(by: deadline, limit: limit)
      case .failure(let error)?: ConfigurationVerdict(worker: worker.name, .unknown("\(error)"))
      }
    }
  }
}
