-- Works with: 6
-- Every kind of time. `timing` holds all that decides when a schedule fires besides interval and time zone, `delivery` what
-- its firing needs besides: both are NULL for plain schedules. An older service fires by the interval alone: use none of it
-- until no older one can start again.
ALTER TABLE schedules ADD COLUMN timing TEXT;
ALTER TABLE schedules ADD COLUMN delivery TEXT;
ALTER TABLE schedules ADD COLUMN external_id TEXT;
ALTER TABLE schedules ADD COLUMN tags TEXT;
ALTER TABLE schedules ADD COLUMN status_reason TEXT;
ALTER TABLE schedule_changes ADD COLUMN timing TEXT;
-- The level that an engine must have to fire the row.
ALTER TABLE queue ADD COLUMN needs INTEGER NOT NULL DEFAULT 0;

CREATE UNIQUE INDEX schedules_by_external_id ON schedules (client_key, external_id)
  WHERE external_id IS NOT NULL AND status <> 'deleted';

-- Tags, and the names that a schedule refers to: `tag:team`, `tag:team:billing`, `calendar:de`.
CREATE TABLE schedule_marks (
  client_key INTEGER NOT NULL,
  mark TEXT NOT NULL,
  schedule_key INTEGER NOT NULL,
  PRIMARY KEY (client_key, mark, schedule_key)
) STRICT, WITHOUT ROWID;

CREATE INDEX schedule_marks_of ON schedule_marks (schedule_key);

-- Days and times without firings. `recount_before`: schedules with lower keys still count with an older version; NULL: none.
CREATE TABLE calendars (
  client_key INTEGER NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  url TEXT,
  version TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER,
  due_at INTEGER NOT NULL,
  stale_since INTEGER,
  fault TEXT,
  recount_before INTEGER,
  PRIMARY KEY (client_key, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX calendars_due ON calendars (due_at);
CREATE INDEX calendars_to_recount ON calendars (client_key, name) WHERE recount_before IS NOT NULL;
CREATE INDEX calendars_stale ON calendars (client_key, name) WHERE stale_since IS NOT NULL;

-- What a calendar said: its source, and the periods that it was expanded to. Replaced ones are kept for explanations.
CREATE TABLE calendar_versions (
  id TEXT NOT NULL PRIMARY KEY,
  client_key INTEGER NOT NULL,
  name TEXT NOT NULL,
  source TEXT NOT NULL,
  periods TEXT NOT NULL,
  expanded_at INTEGER NOT NULL,
  replaced_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX calendar_versions_replaced ON calendar_versions (replaced_at) WHERE replaced_at IS NOT NULL;

-- Answers to calls that carried an Idempotency-Key, by what they made.
CREATE TABLE idempotency (
  client_key INTEGER NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  ids TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (client_key, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_by_age ON idempotency (at);

-- The changes of the clock that times were counted with, for each zone in use, and those of the release before.
CREATE TABLE zone_rules (
  zone TEXT NOT NULL PRIMARY KEY,
  release TEXT NOT NULL,
  changes TEXT NOT NULL,
  previous_release TEXT,
  previous_changes TEXT,
  changed_at INTEGER
) STRICT, WITHOUT ROWID;
