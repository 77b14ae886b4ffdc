public import KithJSON

/// What a message says.
public struct MessageContent: Sendable, Equatable {
  /// Its title, or a mail's subject; empty for none.
  public var title: String
  /// Its text.
  public var body: String
  /// The same as HTML, for mail; empty for none.
  public var html: String
  /// Further data for the app that gets a push.
  public var data: JSONObject
  /// What its buttons do, in order; for a push.
  public var actions: [String]
  /// For a call: who calls, as the phone shows it.
  public var callerName: String

  /// A content.
  public init(
    title: String = "", body: String = "", html: String = "", data: JSONObject = [:],
    actions: [String] = [], callerName: String = ""
  ) {
    self.title = title
    self.body = body
    self.html = html
    self.data = data
    self.actions = actions
    self.callerName = callerName
  }

  /// Reads the form in which it is kept.
  public init?(stored text: String) {
    guard let value = try? JSONValue(parsing: text, limits: .standard),
      let object = value.objectValue
    else {
      return nil
    }
    func string(_ name: String) -> String { object[name]?.stringValue ?? "" }
    self.init(
      title: string("title"), body: string("body"), html: string("html"),
      data: object["data"]?.objectValue ?? [:],
      actions: object["actions"]?.arrayValue?.compactMap { $0.stringValue } ?? [],
      callerName: string("caller"))
  }

  /// The form in which it is kept.
  public var stored: String {
    let object: JSONObject = [
      "title": .string(title), "body": .string(body), "html": .string(html),
      "data": .object(data), "actions": .array(actions.map { .string($0) }),
      "caller": .string(callerName),
    ]
    return JSONValue.object(object).text()
  }
}
