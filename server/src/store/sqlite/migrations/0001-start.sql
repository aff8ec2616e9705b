CREATE TABLE clients (
  client_key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  signing_secret TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE api_keys (
  id TEXT NOT NULL PRIMARY KEY,
  client_key INTEGER NOT NULL REFERENCES clients,
  hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX api_keys_by_client ON api_keys (client_key);

CREATE TABLE schedules (
  schedule_key INTEGER PRIMARY KEY,
  client_key INTEGER NOT NULL REFERENCES clients,
  id TEXT NOT NULL,
  version INTEGER NOT NULL DEFAULT 1,
  status TEXT NOT NULL,
  url TEXT NOT NULL,
  verb TEXT NOT NULL,
  interval TEXT NOT NULL,
  timezone TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER,
  headers TEXT,
  data TEXT,
  integrations TEXT,
  label TEXT NOT NULL,
  policy TEXT
) STRICT;

CREATE UNIQUE INDEX schedules_by_client ON schedules (client_key, id);
-- From the id of a run back to its schedule: what stands behind the instant (domain/id.ts, tailOf).
CREATE INDEX schedules_by_tail ON schedules (client_key, substr(id, 15));

-- At most one row per schedule: when it next wants attention, and which run and attempt that is.
CREATE TABLE queue (
  schedule_key INTEGER PRIMARY KEY REFERENCES schedules,
  state TEXT NOT NULL,
  due_at INTEGER NOT NULL,
  scheduled_for INTEGER NOT NULL,
  next_for INTEGER,
  attempt INTEGER NOT NULL DEFAULT 0,
  attempts TEXT,
  claimed_at INTEGER,
  changed_at INTEGER,
  blocked_since INTEGER
) STRICT;

-- A firing leaves this index when it is claimed and enters it again when it is settled; schedules
-- at rest never touch it.
CREATE INDEX queue_due ON queue (due_at) WHERE state <> 'inFlight';

-- The runs that have begun and not ended: small, for history and for recovery.
CREATE INDEX queue_begun ON queue (schedule_key) WHERE state <> 'waiting';

-- Ended runs, clustered by owner and nominal time: a page of history is one range, and a burst of
-- firings, claimed in the order of their keys, appends. Clustered by id it cost three times as much
-- (36 µs instead of 16 µs a firing): ids of one time are random, and each dirties a page of its own.
-- The id of a scheduled run is derived (domain/id.ts); only that of a manual one is stored.
CREATE TABLE runs (
  client_key INTEGER NOT NULL,
  scheduled_for INTEGER NOT NULL,
  schedule_key INTEGER NOT NULL,
  manual_id TEXT NOT NULL,
  trigger TEXT NOT NULL,
  status TEXT NOT NULL,
  started_at INTEGER,
  finished_at INTEGER,
  attempts TEXT NOT NULL,
  reason TEXT,
  missed TEXT,
  PRIMARY KEY (client_key, scheduled_for, schedule_key, manual_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX runs_by_schedule ON runs (schedule_key, scheduled_for);
CREATE INDEX runs_by_status ON runs (client_key, status, scheduled_for)
  WHERE status <> 'succeeded';
CREATE INDEX runs_manual ON runs (manual_id) WHERE manual_id <> '';

-- Callbacks and manual runs that still have to be sent, and callbacks that have ended.
CREATE TABLE outbox (
  id TEXT NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL,
  client_key INTEGER NOT NULL,
  schedule_key INTEGER NOT NULL,
  state TEXT NOT NULL,
  due_at INTEGER NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 0,
  attempts TEXT,
  claimed_at INTEGER,
  scheduled_for INTEGER,
  run_id TEXT,
  integration_id TEXT,
  url TEXT,
  body TEXT
) STRICT;

CREATE INDEX outbox_due ON outbox (due_at) WHERE state = 'waiting';
CREATE INDEX outbox_in_flight ON outbox (id) WHERE state = 'inFlight';
CREATE INDEX outbox_manual ON outbox (schedule_key) WHERE kind = 'manual';
CREATE INDEX outbox_by_run ON outbox (run_id) WHERE kind = 'callback';
