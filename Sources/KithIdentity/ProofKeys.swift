/// The keys of the metadata under which a caller shows who it is. PROTOCOL.md, "Who calls",
/// describes them.
public enum ProofKeys {
  /// The operator's token, a text. Sent to the host's socket only.
  public static let `operator` = "kith-operator"
  /// An encoded `kith.identity.v1.WorkerProof`. Sent to the host's socket only.
  public static let worker = "kith-worker"
  /// An encoded `kith.identity.v1.Ticket`, from the host's answer to Resolve.
  public static let ticket = "kith-ticket"
  /// An encoded `kith.identity.v1.Pass` for the person whom `kith-user` names.
  public static let pass = "kith-pass"
}
