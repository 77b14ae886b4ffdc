public import KithRPC
import KithStore
import KithTime
public import LockContract
import UsageLockDomain

extension UsageLockService {
  /// A profile as a file.
  public func exportConfiguration(
    _ request: ExportConfigurationRequest, context: CallContext
  ) async throws -> ExportConfigurationResponse {
    try await show(request.userId, context) { person, _, _ in
      ExportConfigurationResponse(
        configuration: Array(ConfigurationFile.text(of: person.state.profile).utf8))
    }
  }

  /// Sets the profile of a file: what is looser waits.
  public func importConfiguration(
    _ request: ImportConfigurationRequest, context: CallContext
  ) async throws -> SetProfileResponse {
    let profile = try ConfigurationFile.profile(request.configuration)
    return try await set(
      LockProfile(profile, book, field: "configuration.profile"), of: request.userId, request,
      context)
  }

  /// The app catalogue.
  public func listApps(
    _ request: ListAppsRequest, context: CallContext
  ) async throws -> ListAppsResponse {
    try Check.text(request.query, "query", bytes: 0...100)
    return ListAppsResponse(
      apps: AppCatalogue.apps(with: request.query).map {
        CatalogueApp(
          name: $0.name, kind: $0.kind, android: $0.android, ios: $0.ios, desktopFile: $0.linux)
      })
  }
}
