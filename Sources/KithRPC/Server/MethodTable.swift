/// The methods that a server answers, by name.
struct MethodTable {
  private var methods: [ArraySlice<UInt8>: MethodImplementation] = [:]
  private var services: Set<String> = []
  /// Tells one state of a server's table from the next.
  private(set) var version = 0
  /// Whether services are still to be added.
  var awaitsServices = false

  /// Adds a service; of two with one name the first stands.
  mutating func add(_ service: ServiceDefinition) {
    version += 1
    guard services.insert(service.name).inserted else { return }
    for method in service.implementations {
      let name = ArraySlice(method.descriptor.fullName.utf8)
      if methods[name] == nil { methods[name] = method }
    }
  }

  /// The method of the given full name, in UTF-8.
  subscript(name: ArraySlice<UInt8>) -> MethodImplementation? { methods[name] }

  /// The answer to a call of a method that is not there, or not yet.
  func unimplemented(_ name: ArraySlice<UInt8>) -> CallStatus {
    let service = name.split(separator: UInt8(ascii: "/"), maxSplits: 1).first.flatMap {
      String(validating: $0, as: UTF8.self)
    }
    // The name is the caller's text: it is told back only as far as it is known here.
    guard let service, services.contains(service) else {
      if awaitsServices { return .workerStarting }
      return CallStatus(.unimplemented, "this worker has no such service")
    }
    return CallStatus(.unimplemented, "the service \(service) has no such method")
  }
}
