import SwiftProtobuf
import SwiftProtobufPluginLibrary

/// A service: its method table, a client, and what a worker implements to serve it.
struct ServiceGenerator {
  private let service: ServiceDescriptor
  private let area: String
  /// Who may call each method, in the order of the contract.
  private let callers: [String]
  /// What each consumes.
  private let entitlements: [String?]

  /// - Throws: `GeneratorError` for a method whose contract does not say who may call it.
  init(_ service: ServiceDescriptor, area: String) throws {
    self.service = service
    self.area = area
    callers = try service.methods.map { try $0.callers() }
    entitlements = try service.methods.map { try $0.entitlement() }
  }

  /// The case of `CallShape`, which is also the name of the function that makes such a method.
  private func shape(_ method: MethodDescriptor) -> String {
    switch (method.clientStreaming, method.serverStreaming) {
    case (false, false): "unary"
    case (true, false): "clientStreaming"
    case (false, true): "serverStreaming"
    case (true, true): "bidirectional"
    }
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
      for (index, method) in service.methods.enumerated() {
        text.printComment(method, or: "`\(method.name)`")
        let idempotency =
          switch method.options.idempotencyLevel {
          case .noSideEffects: "noSideEffects"
          case .idempotent: "idempotent"
          case .idempotencyUnknown: "unknown"
          }
        text.print("public static let \(declared(method)) = MethodDescriptor(")
        text.print("  service: \"\(service.fullName)\", method: \"\(method.name)\",")
        let shape = shape(method)
        if shape != "unary" { text.print("  shape: .\(shape),") }
        let entitlement = entitlements[index].map { ", entitlement: \($0)" } ?? ""
        text.print(
          "  idempotency: .\(idempotency), callers: .\(callers[index])\(entitlement))")
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
        printCall(of: method, into: &text)
      }
    }
  }

  private func printCall(of method: MethodDescriptor, into text: inout CodePrinter) {
    let (input, output) = (input(method), output(method))
    let request = method.clientStreaming ? "" : "_ request: \(input), "
    let passed = method.clientStreaming ? "" : "request, "
    let result =
      switch shape(method) {
      case "unary": output
      case "clientStreaming": "ClientStreamingCall<\(input), \(output)>"
      case "serverStreaming": "ResponseStream<\(output)>"
      default: "BidirectionalCall<\(input), \(output)>"
      }
    text.print("public func \(declared(method))(")
    text.print("  \(request)options: CallOptions = .defaults")
    text.printBlock(") async throws(RPCError) -> \(result)") { text in
      let call = "try await client.\(shape(method))("
      let arguments = "  \(methods).\(name(method)), \(passed)options: options)"
      if shape(method) == "unary" {
        text.print("let response: RPCResponse<\(output)> = \(call)")
        text.print(arguments)
        text.print("return response.message")
      } else {
        text.print(call)
        text.print(arguments)
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
        let request =
          method.clientStreaming
          ? "_ requests: RequestStream<\(input(method))>" : "_ request: \(input(method))"
        let writer = method.serverStreaming ? " responses: ResponseWriter<\(output(method))>," : ""
        let result = method.serverStreaming ? "" : " -> \(output(method))"
        text.print("func \(declared(method))(")
        text.print("  \(request),\(writer) context: CallContext")
        text.print(") async throws\(result)")
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
          let request = method.clientStreaming ? "requests" : "request"
          let names = method.serverStreaming ? "\(request), responses" : request
          let writer = method.serverStreaming ? "responses: responses, " : ""
          text.print("    .\(shape(method))(\(methods).\(name(method))) { \(names), context in")
          text.print("      try await handler.\(name(method))(")
          text.print("        \(request), \(writer)context: context)")
          text.print("    },")
        }
        text.print("  ])")
      }
    }
  }
}
