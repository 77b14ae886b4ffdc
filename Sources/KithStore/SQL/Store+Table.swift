extension Store {
  /// A table of a worker, as a value: its columns, its primary key and its indexes.
  ///
  ///     let reminders = Store.Table(
  ///       "reminder",
  ///       [.text("id"), .text("user_id"), .sealed("text"), .integer("due_ms").optional, .boolean("is_medicine")],
  ///       indexes: [Store.Index("reminder_due", on: "due_ms", where: "due_ms IS NOT NULL")])
  ///     let migrations = [Store.Migration("reminders 1", creating: [reminders])]
  ///
  /// A migration that has shipped keeps the definition that it shipped with.
  public struct Table: Sendable, Hashable {
    /// The name. Names that begin with `kith_` belong to the SDK.
    public var name: String
    /// The columns in their order.
    public var columns: [Column]
    /// The columns of the primary key.
    public var key: [String]
    /// The indexes.
    public var indexes: [Index]
    /// Whether SQLite keeps the rows in the order of the primary key (`WITHOUT ROWID`): smaller and
    /// faster for short rows whose key is not one integer.
    public var isClustered: Bool
    /// Conditions that every row has to meet.
    var checks: [SQLText] = []

    /// A table.
    /// - Parameters:
    ///   - key: the columns of the primary key. Defaults to the first column.
    ///   - clustered: see ``isClustered``.
    public init(
      _ name: String, _ columns: [Column], key: [String]? = nil, indexes: [Index] = [],
      clustered: Bool = false
    ) {
      self.name = name
      self.columns = columns
      self.key = key ?? [columns[0].name]
      self.indexes = indexes
      isClustered = clustered
    }
  }

  /// A column of a ``Table``. Required unless it is ``optional``.
  public struct Column: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
      case text, integer, real, boolean, bytes, number
    }

    let name: String
    let kind: Kind
    private(set) var isOptional = false
    private(set) var defaultValue: StoreValue?

    private init(_ name: String, _ kind: Kind, default value: StoreValue? = nil) {
      self.name = name
      self.kind = kind
      defaultValue = value
    }

    /// A text.
    public static func text(_ name: String, default value: String? = nil) -> Column {
      Column(name, .text, default: value?.storeValue)
    }
    /// A whole number of 64 bits.
    public static func integer(_ name: String, default value: Int64? = nil) -> Column {
      Column(name, .integer, default: value?.storeValue)
    }
    /// A floating-point number of 64 bits.
    public static func real(_ name: String, default value: Double? = nil) -> Column {
      Column(name, .real, default: value?.storeValue)
    }
    /// A truth value.
    public static func boolean(_ name: String, default value: Bool? = nil) -> Column {
      Column(name, .boolean, default: value?.storeValue)
    }
    /// Bytes.
    public static func bytes(_ name: String) -> Column { Column(name, .bytes) }
    /// A personal value, encrypted at rest: see ``Sealed``. The column's own name ends in
    /// `_sealed`.
    public static func sealed(_ name: String) -> Column {
      Column(name + StoreSchema.sealedSuffix, .bytes)
    }
    /// A number that the database gives, ascending; the primary key of a table whose rows have no
    /// key of their own.
    public static func number(_ name: String) -> Column { Column(name, .number) }

    /// The same column, which may be without a value.
    public var optional: Column {
      var column = self
      column.isOptional = true
      return column
    }
  }

  /// An index of a ``Table``.
  public struct Index: Sendable, Hashable {
    /// The name, unique in the store.
    public var name: String
    /// The columns in their order.
    public var columns: [String]
    /// Whether no two rows may have the same values.
    public var isUnique: Bool
    /// Which rows it is of; nil for all. A query uses it only if its condition names the same
    /// constants.
    public var condition: SQLText?

    /// An index.
    public init(
      _ name: String, on columns: String..., unique: Bool = false, where condition: SQLText? = nil
    ) {
      self.name = name
      self.columns = columns
      isUnique = unique
      self.condition = condition
    }
  }
}
