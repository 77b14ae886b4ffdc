import GRDB
public import KithStore

/// The tables of the reminders worker.
public enum RemindersSchema {
  /// The steps to the schema of today, the oldest first.
  public static let migrations: [Store.Migration] = [
    Store.Migration("reminders 1") { database in
      try database.execute(
        sql: """
          CREATE TABLE reminder (
            id TEXT PRIMARY KEY NOT NULL,
            user_id TEXT NOT NULL,
            text_sealed BLOB NOT NULL,
            notes_sealed BLOB,
            -- The uid of the calendar file that it came from, and a fingerprint to find it by.
            uid_sealed BLOB,
            uid_index BLOB,
            is_medicine INTEGER NOT NULL,
            -- kith.reminders.v1.ReminderState
            state INTEGER NOT NULL,
            -- kith.reminders.v1.Schedule and Ladder
            schedule BLOB NOT NULL,
            -- NULL for the steps that the worker's configuration says.
            ladder BLOB,
            created_at_ms INTEGER NOT NULL,
            -- How far it has come: ReminderProgress. Walls are seconds since 1970 on the wall.
            cursor_ms INTEGER NOT NULL,
            last_wall INTEGER,
            walls_decided INTEGER,
            open_due_ms INTEGER,
            open_ladder_start_ms INTEGER,
            open_snoozes INTEGER NOT NULL DEFAULT 0,
            open_repeats INTEGER NOT NULL DEFAULT 0,
            open_snoozed_until_ms INTEGER,
            open_is_missed INTEGER NOT NULL DEFAULT 0,
            done_ahead_ms INTEGER,
            -- When there is something to do next; NULL for never.
            next_step_ms INTEGER,
            -- When it is sent next, for lists.
            next_due_ms INTEGER,
            -- What both were worked out from: a hash of the edition of tzdata and the configuration.
            basis INTEGER NOT NULL
          ) STRICT;
          -- A tick reads what is due and nothing else.
          CREATE INDEX reminder_next_step ON reminder (next_step_ms) WHERE next_step_ms IS NOT NULL;
          CREATE INDEX reminder_basis ON reminder (basis) WHERE next_step_ms IS NOT NULL;
          CREATE INDEX reminder_user ON reminder (user_id, next_due_ms, id);
          CREATE INDEX reminder_active ON reminder (user_id) WHERE state = 1;
          CREATE UNIQUE INDEX reminder_uid ON reminder (user_id, uid_index)
            WHERE uid_index IS NOT NULL;

          -- What became of each occurrence.
          CREATE TABLE occurrence (
            -- reminder/due
            id TEXT PRIMARY KEY NOT NULL,
            user_id TEXT NOT NULL,
            reminder_id TEXT NOT NULL,
            due_ms INTEGER NOT NULL,
            -- kith.reminders.v1.OccurrenceState and MissedReason
            state INTEGER NOT NULL,
            missed_reason INTEGER NOT NULL DEFAULT 0,
            sent_at_ms INTEGER,
            done_at_ms INTEGER,
            snoozed_until_ms INTEGER,
            late_by_ms INTEGER NOT NULL DEFAULT 0
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX occurrence_user ON occurrence (user_id, due_ms, id);
          CREATE INDEX occurrence_reminder ON occurrence (reminder_id, due_ms);

          -- What people have said of themselves; NULL is the worker's configuration.
          CREATE TABLE person (
            id TEXT PRIMARY KEY NOT NULL,
            user_id TEXT NOT NULL,
            zone TEXT,
            -- Seconds of the day.
            quiet_from INTEGER,
            quiet_to INTEGER,
            -- kith.reminders.v1.Region
            region INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          """)
    }
  ]
}
