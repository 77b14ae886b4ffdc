import HostContract
import KithJSON
import KithReflection
import KithWire

/// Messages of the host as JSON, as `proto/kith/host/v1/host.proto` describes them.
enum HostJSON {
  /// The message in the proto3 JSON mapping, with the names of all fields that have no presence.
  static func json(_ message: some WireMessage) throws -> JSONValue {
    let contracts = try ContractSet(encodedDescriptorSet: HostDescriptorSet.bytes)
    return try contracts.decode(message.encoded(), as: type(of: message).fullName)
      .json(contracts, options: .commandLine)
  }
}

extension MessageJSONOptions {
  /// How `--json` writes messages: with the names of all fields that have no presence, so that a
  /// program finds the same names each time.
  static let commandLine = MessageJSONOptions(includesDefaults: true)
}
