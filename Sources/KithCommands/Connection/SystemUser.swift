import Glibc

/// A user of this machine.
struct SystemUser: Equatable, CustomStringConvertible {
  /// The number by which the system knows the user.
  let id: uid_t

  /// The user that this process runs as.
  static var current: SystemUser { SystemUser(id: geteuid()) }

  /// The owner of a path, or where this user may not look at it, of the nearest folder above that
  /// can be looked at, which is the one that keeps others out.
  static func owner(of path: String) -> SystemUser? {
    var path = path
    while true {
      var status = stat()
      if stat(path, &status) == 0 { return SystemUser(id: status.st_uid) }
      guard errno == EACCES, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
        return nil
      }
      path = String(path[..<slash])
    }
  }

  /// The name, or the number where there is none.
  var description: String {
    guard let name = getpwuid(id)?.pointee.pw_name else { return "number \(id)" }
    return String(cString: name)
  }
}
