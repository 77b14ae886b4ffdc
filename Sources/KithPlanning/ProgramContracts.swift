public import KithReflection

/// The contracts that a worker's program was built with, read from its file: it need not run to say
/// what it serves and calls.
///
/// They are in the section `kith_contracts`, which every program that links the generated contracts
/// has: the descriptors of its files, one behind the other, as an encoded
/// `google.protobuf.FileDescriptorSet`. A program in another language has one too when it is given
/// one: `objcopy --add-section kith_contracts=contracts.binpb PROGRAM`.
public enum ProgramContracts {
  /// The section's name.
  public static let section = "kith_contracts"

  /// The contracts of a program; nil when it does not tell them.
  public static func read(from path: String) -> ContractSet? {
    ProgramSection.bytes(named: section, of: path).flatMap {
      try? ContractSet(encodedDescriptorSet: $0)
    }
  }
}
