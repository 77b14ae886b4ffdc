/// What a note may be, and when it is due. Pure: the same values always give the same answer.
public struct NoteRules: Sendable, Equatable {
  /// Why a note is refused.
  public enum Refusal: Error, Equatable, CustomStringConvertible {
    /// Nothing but blanks.
    case empty
    /// More characters than ``NoteRules/longestText``.
    case tooLong

    /// The reason, for the author of the note.
    public var description: String {
      switch self {
      case .empty: "expected a text, found nothing but blanks"
      case .tooLong: "expected at most \(NoteRules.longestText) characters"
      }
    }
  }

  /// The longest text in characters.
  public static let longestText = 500

  /// How long after it was kept a note without a time of its own is due, in milliseconds.
  public var dueAfter: Int64

  /// Rules with this delay in milliseconds.
  public init(dueAfter: Int64) { self.dueAfter = dueAfter }

  /// Checks the text of a note.
  public static func check(text: String) throws(Refusal) {
    guard !text.allSatisfy(\.isWhitespace) else { throw .empty }
    guard text.count <= longestText else { throw .tooLong }
  }

  /// When a note that is kept now is due, in milliseconds since 1970, by its author or by delay.
  public func due(wanted: Int64?, now: Int64) -> Int64 { wanted ?? now + dueAfter }
}
