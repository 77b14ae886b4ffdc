import ContractNames
import Foundation
import SwiftProtobuf

// Usage: prepare-c SET REWRITTEN FOLDER FILE... [--module PACKAGE:MODULE]...
//
// Reads the descriptor set of the contracts, with source info. Writes to REWRITTEN what protoc-c is
// to see, and into FOLDER, for each area of the FILEs, the C that is not protoc-c's: the
// descriptors as they were written, for reflection, the umbrella header and the module map. Prints
// a line `AREA FILE` for each FILE that has messages, for protoc's command line.

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("prepare-c: \(message)\n".utf8))
  exit(64)
}

var arguments: [String] = []
var options: [String] = []
var rest = CommandLine.arguments.dropFirst()
while let argument = rest.popFirst() {
  if argument != "--module" {
    arguments.append(argument)
  } else if let option = rest.popFirst() {
    options.append(option)
  }
}
guard arguments.count >= 4 else {
  fail("usage: prepare-c SET REWRITTEN FOLDER FILE... [--module PACKAGE:MODULE]...")
}
let modules: ContractModules
do throws(ContractModulesError) {
  modules = try ContractModules(options: options)
} catch {
  fail("\(error)")
}

let input = URL(fileURLWithPath: arguments[0])
let set = try Google_Protobuf_FileDescriptorSet(serializedBytes: Data(contentsOf: input))
let forC = rewriteForC(set)
try forC.serializedData().write(to: URL(fileURLWithPath: arguments[1]))

let names = Set(arguments.dropFirst(3))
let files = set.file.filter { names.contains($0.name) }
if let file = files.first(where: { $0.package.isEmpty }) {
  fail("\(file.name) has no package: add a line such as `package acme.pills.v1;`")
}
try CModules(modules: modules, files: files)
  .write(into: URL(fileURLWithPath: arguments[2]))
let withMessages = Set(forC.file.map(\.name))
for file in files where withMessages.contains(file.name) {
  print(modules.area(ofPackage: file.package), file.name)
}
