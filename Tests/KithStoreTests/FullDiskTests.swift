import GRDB
import Glibc
import KithTesting
import Testing

@testable import KithStore

/// A disk that is really full: a file system of one mebibyte. Only who may mount one can run these.
@Suite(.enabled(if: geteuid() == 0, "only root may mount a small file system"))
struct FullDiskTests {
  /// A small file system, for as long as `body` runs.
  private func withSmallDisk(_ body: (String) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    let disk = "\(folder.path)/disk"
    mkdir(disk, 0o700)
    try #require(mount("tmpfs", disk, "tmpfs", 0, "size=1m,mode=700") == 0, "cannot mount")
    defer { umount2(disk, Int32(MNT_DETACH)) }
    try await body(disk)
  }

  @Test func theWriteIsRefusedAndTheNextOneSucceedsWhenThereIsRoom() async throws {
    let keys = try TemporaryFolder()
    try await withSmallDisk { disk in
      let store = try Store(
        path: "\(disk)/\(Store.fileName)", keys: keys.keys(), migrations: [Note.migration])
      // Somebody else fills the disk, but for little.
      let filler = open("\(disk)/filler", O_WRONLY | O_CREAT, 0o600)
      let block = [UInt8](repeating: 1, count: 4096)
      while write(filler, block, block.count) == block.count {}
      #expect(errno == ENOSPC)
      ftruncate(filler, lseek(filler, 0, SEEK_END) - 65_536)
      var written = 0
      var refusal: StoreError?
      while refusal == nil, written < 1_000 {
        do {
          let id = "\(written)"
          try await store.write {
            try $0.save(Note(id: id, text: String(repeating: "x", count: 2_000)))
          }
          written += 1
        } catch {
          refusal = error as? StoreError
          try #require(refusal != nil, "\(error)")
        }
      }
      #expect(refusal?.code == .full && written > 0, "\(refusal as Any) after \(written)")
      let before = try await store.read { try $0.records(Note.self).count }
      #expect(before == written)
      // Room again.
      ftruncate(filler, 0)
      close(filler)
      try await store.write { try $0.save(Note(id: "after", text: "x")) }
      let after = try await store.read { try $0.records(Note.self).count }
      #expect(after == written + 1)
      try store.close()
      // Nothing is damaged.
      let again = try Store(
        path: "\(disk)/\(Store.fileName)", keys: keys.keys(), migrations: [Note.migration])
      let kept = try await again.read { try $0.records(Note.self).count }
      #expect(kept == written + 1)
      try again.close()
    }
  }
}
