import ContractNames
import Foundation
import SwiftProtobuf

// Usage: prepare-c SET REWRITTEN FOLDER
//
// Reads the descriptor set of the contracts, with source info. Writes to REWRITTEN what protoc-c is to see, and into
// FOLDER the C that is not protoc-c's: the descriptors as they were written, for reflection, and the umbrella header.
// Prints the files of REWRITTEN that have messages, for protoc's command line.

guard CommandLine.arguments.count == 4 else {
  FileHandle.standardError.write(Data("usage: prepare-c SET REWRITTEN FOLDER\n".utf8))
  exit(64)
}
let input = URL(fileURLWithPath: CommandLine.arguments[1])
let rewritten = URL(fileURLWithPath: CommandLine.arguments[2])
let folder = URL(fileURLWithPath: CommandLine.arguments[3])

let set = try Google_Protobuf_FileDescriptorSet(serializedBytes: Data(contentsOf: input))
let forC = rewriteForC(set)
try forC.serializedData().write(to: rewritten)
try writeDescriptors(set, into: folder)
let paths = forC.file.map(\.name)
try writeUmbrellaHeader(of: paths, into: folder)
print(paths.joined(separator: "\n"))
