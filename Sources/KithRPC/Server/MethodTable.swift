/// The methods that a server answers, by name.
struct MethodTable {
  private var methods: [String: MethodImplementation] = [:]
  private var services: Set<String> = []

  /// Adds a service; of two with one name the first stands.
  mutating func add(_ service: ServiceDefinition) {
    guard services.insert(service.name).inserted else { return }
    for method in service.implementations where methods[method.descriptor.fullName] == nil {
      methods[method.descriptor.fullName] = method
    }
  }

  /// The method of the given full name.
  subscript(name: String) -> MethodImplementation? { methods[name] }

  /// The answer to a call of a method that is not there.
  func unimplemented(_ name: String) -> CallStatus {
    let service = name.split(separator: "/", maxSplits: 1).first.map(String.init) ?? ""
    // The name is the caller's text: it is told back only as far as it is known here.
    return services.contains(service)
      ? CallStatus(.unimplemented, "the service \(service) has no such method")
      : CallStatus(.unimplemented, "this worker has no such service")
  }
}
