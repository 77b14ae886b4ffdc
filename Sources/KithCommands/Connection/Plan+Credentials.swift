import KithClient
import KithManifest
import KithPlanning
import KithRPC

extension Plan {
  /// Looks at the files that the workers would show on the network, so that one which is missing or
  /// whose time is over is found before anything is started.
  ///
  /// - Throws: all that is wrong, each where the manifest names the address.
  func checkCredentials() throws(ManifestErrors) {
    let endpoints = workers.compactMap(\.listen) + remoteServices.map(\.endpoint)
    var found: [ManifestError] = []
    for endpoint in endpoints {
      guard let files = endpoint.credentials else { continue }
      do throws(RPCError) {
        try CredentialFiles.check(
          TLSCredentials(
            authorities: files.authorities, certificate: files.certificate,
            privateKey: files.privateKey))
      } catch {
        found.append(
          ManifestError(
            .unusableCredentials, error.message, at: endpoint.location,
            expected: "files in PEM: the authorities' certificates, a valid certificate and its key"
          ))
      }
    }
    if let errors = ManifestErrors(found) { throw errors }
  }
}
