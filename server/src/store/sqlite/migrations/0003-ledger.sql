-- Works with: 2
-- What a schedule was until each accepted change of its interval, time zone or status: the first row
-- after an instant says what held then, and where there is none the schedule itself does.
CREATE TABLE schedule_changes (
  schedule_key INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  interval TEXT NOT NULL,
  timezone TEXT NOT NULL,
  status TEXT NOT NULL,
  PRIMARY KEY (schedule_key, changed_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX schedule_changes_by_age ON schedule_changes (changed_at);

-- Runs in the order in which they ended, with what figures count: 2 µs for each run that is written.
CREATE INDEX runs_ended ON runs (client_key, finished_at, status, started_at)
  WHERE finished_at IS NOT NULL;
CREATE INDEX schedules_updated ON schedules (client_key, updated_at) WHERE updated_at IS NOT NULL;
-- A list of one status among a million of another.
CREATE INDEX schedules_by_status ON schedules (client_key, status, id);

-- Sessions of the dashboard: of the token only the hash, as of keys.
CREATE TABLE sessions (
  hash TEXT NOT NULL PRIMARY KEY,
  key_id TEXT NOT NULL REFERENCES api_keys,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_end ON sessions (expires_at);

ALTER TABLE api_keys ADD COLUMN name TEXT NOT NULL DEFAULT '';
