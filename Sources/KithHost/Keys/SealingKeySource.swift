import KithManifest
import KithSealing
import WorkerContract

/// Where the host has the sealing keys of its workers from: the product's key ring, which no worker
/// can read.
struct SealingKeySource {
  private let folder: String
  private let product: ProductKeys
  /// Why there were no keys when they were last needed; nil when there were, or none was needed
  /// yet.
  private(set) var trouble: String?

  /// The keys of the product in these places.
  init(_ places: ProductPlaces) {
    folder = places.keysDirectory
    product = ProductKeys(
      file: KeyRingFile(path: places.sealingKeyFile), workersDirectory: places.workersDirectory)
  }

  /// The keys for a new process of a worker that may keep data; none when `trouble` says why. The
  /// first key of a product is made here; one that is lost or damaged is never replaced.
  mutating func keys(of worker: String) throws(SystemError) -> [SealingKey] {
    try DurableFile.createPrivateFolder(folder)
    do throws(SealingError) {
      let ring = try product.ring()
      trouble = nil
      return ring.keys(of: worker).map(SealingKey.init)
    } catch {
      trouble = error.message
      return []
    }
  }

  /// The ring as its file has it now.
  mutating func ring() throws(SealingError) -> KeyRing {
    do throws(SealingError) {
      let ring = try product.file.read()
      trouble = nil
      return ring
    } catch {
      trouble = error.message
      throw error
    }
  }

  /// What is wrong with the keys, for people; nil when nothing is.
  /// - Parameter isInUse: whether processes run that may have keys: those that were lost since are
  ///   still in them.
  func degradation(isInUse: Bool) -> String? {
    guard isInUse, trouble == nil else { return trouble }
    do throws(SealingError) {
      _ = try product.file.read()
      return nil
    } catch {
      return
        "\(error.message); what runs goes on with the keys that it has, and does not start again"
    }
  }
}

extension SealingKey {
  /// The key in the words of the contract.
  init(_ key: WorkerKey) {
    self.init(id: key.id, secret: key.bytes)
  }
}
