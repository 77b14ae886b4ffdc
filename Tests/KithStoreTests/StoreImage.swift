import Glibc
import KithSealing
import KithTesting

@testable import KithStore

/// The files of a store as they were at one moment, and how many notes had been acknowledged then.
struct StoreImage: Sendable {
  /// The bytes of each file that there was, by its name.
  var files: [String: [UInt8]] = [:]
  /// How many notes had been acknowledged.
  var notes: Int

  static let database = Store.fileName
  static let log = "\(Store.fileName)-wal"
  static let index = "\(Store.fileName)-shm"
  static let mark = "\(Store.fileName).mark"
  static let digest = "\(Store.fileName).digest"

  /// What a process leaves in a folder that is killed at this instruction, or has ended.
  init(of folder: TemporaryFolder, notes: Int) { self.init(of: folder.path, notes: notes) }

  init(of folder: String, notes: Int) {
    self.notes = notes
    for name in TemporaryFolder.names(in: folder) { files[name] = Files.bytes("\(folder)/\(name)") }
  }

  /// The files in a folder of their own.
  func laidOut() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for (name, bytes) in files { try folder.write(bytes, to: name, mode: 0o600) }
    return folder
  }

  /// What a person finds who opens it.
  enum Finding {
    /// It was refused, or cannot be read.
    case noticed(StoreError?)
    /// It was opened, and has so many notes that say what they should.
    case opened(notes: Int)
  }

  /// Opens it as the worker does at its start.
  func find(known: StoreStanding? = nil) async throws -> Finding {
    let folder = try laidOut()
    let keys = try folder.keys()
    let store: Store
    do throws(StoreError) {
      store = try Store(
        path: folder.storePath, keys: keys, migrations: [Person.migration, Note.migration],
        known: known)
    } catch {
      return .noticed(error)
    }
    defer { try? store.close() }
    do {
      let notes = try await store.read { try $0.records(Note.self) }
      // What is marked is not lost in silence.
      if notes.contains(where: \.text.isDamaged) { return .noticed(nil) }
      return .opened(notes: notes.count { (try? $0.text.value) == "text \($0.id)" })
    } catch {
      return .noticed(error as? StoreError)
    }
  }
}

extension Store {
  /// Writes notes, a transaction each.
  func note(_ numbers: Range<Int>) async throws {
    for number in numbers {
      try await write { try $0.save(Note(id: "\(number)", text: "text \(number)")) }
    }
  }
}
