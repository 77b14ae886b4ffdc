import SwiftProtobuf
import SwiftProtobufPluginLibrary

/// A service: its method table, a client, and what a worker implements to serve it.
struct ServiceGenerator {
  private let service: ServiceDescriptor
  private let area: String

  init(_ service: ServiceDescriptor, area: String) throws {
    for method in service.methods where method.clientStreaming || method.serverStreaming {
      throw GeneratorError("\(method.fullName) streams; only unary methods can be generated yet")
    }
    self.service = service
    self.area = area
  }

  private var methods: String { "\(service.name)Methods" }

  func generate(into text: inout CodePrinter) {
    printMethods(into: &text)
    text.print()
    printClient(into: &text)
    text.print()
    printHandler(into: &text)
    text.print()
    printDefinition(into: &text)
  }

  private func name(_ method: MethodDescriptor) -> String { SwiftNames.lowerCamel(method.name) }
  private func declared(_ method: MethodDescriptor) -> String { SwiftNames.declared(method.name) }
  private func input(_ method: MethodDescriptor) -> String { SwiftNames.type(method.inputType) }
  private func output(_ method: MethodDescriptor) -> String { SwiftNames.type(method.outputType) }

  private func printMethods(into text: inout CodePrinter) {
    text.print("/// The methods of `\(service.fullName)`.")
    text.printBlock("public enum \(methods)") { text in
      for method in service.methods {
        text.printComment(method, or: "`\(method.name)`")
        let idempotency =
          switch method.options.idempotencyLevel {
          case .noSideEffects: "noSideEffects"
          case .idempotent: "idempotent"
          case .idempotencyUnknown: "unknown"
          }
        text.print("public static let \(declared(method)) = MethodDescriptor(")
        text.print("  service: \"\(service.fullName)\", method: \"\(method.name)\",")
        text.print("  idempotency: .\(idempotency))")
        text.print()
      }
      text.print("/// All of them, in the order of the contract.")
      let names = service.methods.map(name).joined(separator: ", ")
      text.print("public static let all: [MethodDescriptor] = [\(names)]")
    }
  }

  private func printClient(into text: inout CodePrinter) {
    text.printComment(service, or: "The service `\(service.fullName)`.")
    text.print("///")
    text.print("/// This is the caller's side.")
    text.printBlock("public struct \(service.name)Client: Sendable") { text in
      text.print("private let client: RPCClient")
      text.print()
      text.print("/// Calls through `client`.")
      text.print("public init(_ client: RPCClient) { self.client = client }")
      for method in service.methods {
        text.print()
        text.printComment(method, or: "Calls `\(method.name)`.")
        text.print("public func \(declared(method))(")
        text.print("  _ request: \(input(method)), options: CallOptions = .defaults")
        text.printBlock(") async throws(RPCError) -> \(output(method))") { text in
          text.print("let response: RPCResponse<\(output(method))> = try await client.unary(")
          text.print("  \(methods).\(name(method)), request, options: options)")
          text.print("return response.message")
        }
      }
    }
  }

  private func printHandler(into text: inout CodePrinter) {
    text.printComment(service, or: "The service `\(service.fullName)`.")
    text.print("///")
    text.print(
      "/// This is the worker's side. A method throws `RPCError` to answer with a status; any other error is answered",
      "/// UNKNOWN.")
    text.printBlock("public protocol \(service.name)Handler: Sendable") { text in
      for (index, method) in service.methods.enumerated() {
        if index > 0 { text.print() }
        text.printComment(method, or: "Answers `\(method.name)`.")
        text.print("func \(declared(method))(")
        text.print("  _ request: \(input(method)), context: CallContext")
        text.print(") async throws -> \(output(method))")
      }
    }
  }

  private func printDefinition(into text: inout CodePrinter) {
    let function = SwiftNames.lowerCamel(service.name)
    text.printBlock("extension ServiceDefinition") { text in
      text.print("/// `\(service.fullName)`, answered by `handler`.")
      text.printBlock(
        "public static func \(function)(_ handler: some \(service.name)Handler) -> ServiceDefinition"
      ) { text in
        text.print("ServiceDefinition(")
        text.print("  name: \"\(service.fullName)\",")
        text.print("  descriptorSet: { \(area)DescriptorSet.bytes },")
        text.print("  methods: [")
        for method in service.methods {
          text.print("    .unary(\(methods).\(name(method))) { request, context in")
          text.print("      try await handler.\(name(method))(request, context: context)")
          text.print("    },")
        }
        text.print("  ])")
      }
    }
  }
}
