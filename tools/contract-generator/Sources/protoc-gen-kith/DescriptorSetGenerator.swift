import ContractNames
import SwiftProtobufPluginLibrary

/// The descriptors of an area, for reflection.
struct DescriptorSetGenerator {
  let area: String
  /// The area's files and their imports, each after those that it imports.
  let files: [FileDescriptor]

  /// The generator for an area with these files.
  init(area: String, files: [FileDescriptor]) {
    self.area = area
    var result: [FileDescriptor] = []
    func add(_ file: FileDescriptor) {
      if result.contains(where: { $0 === file }) { return }
      file.dependencies.forEach(add)
      result.append(file)
    }
    files.forEach(add)
    self.files = result
  }

  func generate(into text: inout CodePrinter) {
    text.print("/// The contract itself, for reflection.")
    text.printBlock("public enum \(area)DescriptorSet") { text in
      text.print(
        "/// An encoded `google.protobuf.FileDescriptorSet`: the files of the contract and what they import, each after",
        "/// those that it imports, with comments.")
      text.printBlock("public static var bytes: [UInt8]") { text in
        text.print("DescriptorSetBytes.joined([")
        text.withIndentation { text in
          for file in files {
            let constant = DescriptorFile.constant(file.name)
            text.print("(\(constant), \(constant)_size),")
          }
        }
        text.print("])")
      }
    }
  }
}
