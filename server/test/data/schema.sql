CREATE TRIGGER queue_keeps_fence AFTER DELETE ON queue
WHEN coalesce(OLD.fence, OLD.claimed_at) IS NOT NULL
BEGIN
  INSERT INTO fences (schedule_key, fence) VALUES (OLD.schedule_key, coalesce(OLD.fence, OLD.claimed_at))
  ON CONFLICT (schedule_key) DO UPDATE SET fence = max(fence, excluded.fence);
END;

CREATE TABLE api_keys (
  id TEXT NOT NULL PRIMARY KEY,
  client_key INTEGER NOT NULL REFERENCES clients,
  hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
, name TEXT NOT NULL DEFAULT '', created_by TEXT) STRICT, WITHOUT ROWID;

CREATE TABLE breakers (
  id TEXT NOT NULL PRIMARY KEY,
  client_key INTEGER NOT NULL REFERENCES clients,
  origin TEXT NOT NULL,
  since INTEGER NOT NULL,
  opened_at INTEGER NOT NULL,
  closed_at INTEGER,
  open_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE calendar_versions (
  id TEXT NOT NULL PRIMARY KEY,
  client_key INTEGER NOT NULL,
  name TEXT NOT NULL,
  source TEXT NOT NULL,
  periods TEXT NOT NULL,
  expanded_at INTEGER NOT NULL,
  replaced_at INTEGER
) STRICT, WITHOUT ROWID;

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

CREATE TABLE clients (
  client_key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  signing_secret TEXT NOT NULL,
  created_at INTEGER NOT NULL
, rotated_at INTEGER, old_secret TEXT, old_secret_until INTEGER, suspended_at INTEGER, resumed_at INTEGER, deleted_at INTEGER) STRICT;

CREATE TABLE completions (
  run_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  client_key INTEGER NOT NULL,
  schedule_key INTEGER NOT NULL,
  said_at INTEGER NOT NULL,
  status TEXT,
  message TEXT,
  deadline_at INTEGER,
  PRIMARY KEY (run_id, attempt)
) STRICT, WITHOUT ROWID;

CREATE TABLE data_keys (
  id TEXT NOT NULL PRIMARY KEY,
  wrapped TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE destinations (
  client_key INTEGER NOT NULL,
  name TEXT NOT NULL,
  config TEXT NOT NULL,
  secrets TEXT,
  version TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER,
  PRIMARY KEY (client_key, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE engines (
  node TEXT NOT NULL PRIMARY KEY,
  seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE fences (
  schedule_key INTEGER NOT NULL PRIMARY KEY,
  fence INTEGER NOT NULL
) STRICT;

CREATE TABLE idempotency (
  client_key INTEGER NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  ids TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (client_key, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE installation (
  name TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

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
, keep TEXT NOT NULL DEFAULT 'long', trigger TEXT) STRICT;

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
, needs INTEGER NOT NULL DEFAULT 0, fence INTEGER) STRICT;

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

CREATE TABLE schedule_changes (
  schedule_key INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  interval TEXT NOT NULL,
  timezone TEXT NOT NULL,
  status TEXT NOT NULL, timing TEXT,
  PRIMARY KEY (schedule_key, changed_at)
) STRICT, WITHOUT ROWID;

CREATE TABLE schedule_marks (
  client_key INTEGER NOT NULL,
  mark TEXT NOT NULL,
  schedule_key INTEGER NOT NULL,
  PRIMARY KEY (client_key, mark, schedule_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE schedule_texts (
  text_key INTEGER PRIMARY KEY,
  client_key INTEGER NOT NULL,
  first_id TEXT NOT NULL,
  last_id TEXT NOT NULL,
  entries INTEGER NOT NULL,
  changed_key INTEGER,
  labels TEXT NOT NULL,
  urls TEXT NOT NULL,
  keys TEXT NOT NULL
) STRICT;

CREATE TABLE schedule_versions (
  schedule_key INTEGER NOT NULL,
  version INTEGER NOT NULL,
  until_at INTEGER NOT NULL,
  changed_by TEXT NOT NULL,
  config TEXT NOT NULL,
  PRIMARY KEY (schedule_key, version)
) STRICT, WITHOUT ROWID;

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
, timing TEXT, delivery TEXT, external_id TEXT, tags TEXT, status_reason TEXT) STRICT;

CREATE TABLE sessions (
  hash TEXT NOT NULL PRIMARY KEY,
  key_id TEXT NOT NULL REFERENCES api_keys,
  expires_at INTEGER NOT NULL
, id TEXT, created_at INTEGER, last_used_at INTEGER) STRICT, WITHOUT ROWID;

CREATE TABLE zone_rules (
  zone TEXT NOT NULL PRIMARY KEY,
  release TEXT NOT NULL,
  changes TEXT NOT NULL,
  previous_release TEXT,
  previous_changes TEXT,
  changed_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX api_keys_by_client ON api_keys (client_key);

CREATE INDEX api_keys_by_maker ON api_keys (created_by) WHERE created_by IS NOT NULL;

CREATE INDEX breakers_by_age ON breakers (closed_at) WHERE closed_at IS NOT NULL;

CREATE INDEX breakers_closed ON breakers (client_key, closed_at) WHERE closed_at IS NOT NULL;

CREATE INDEX breakers_forgotten ON breakers (open_until) WHERE closed_at IS NULL;

CREATE INDEX breakers_of_host ON breakers (client_key, origin, opened_at);

CREATE INDEX breakers_open ON breakers (client_key, open_until) WHERE closed_at IS NULL;

CREATE INDEX breakers_opened ON breakers (client_key, opened_at);

CREATE INDEX calendar_versions_replaced ON calendar_versions (replaced_at) WHERE replaced_at IS NOT NULL;

CREATE INDEX calendars_due ON calendars (due_at);

CREATE INDEX calendars_stale ON calendars (client_key, name) WHERE stale_since IS NOT NULL;

CREATE INDEX calendars_to_recount ON calendars (client_key, name) WHERE recount_before IS NOT NULL;

CREATE INDEX clients_in_overlap ON clients (old_secret_until) WHERE old_secret_until IS NOT NULL;

CREATE INDEX completions_by_age ON completions (said_at);

CREATE INDEX idempotency_by_age ON idempotency (at);

CREATE INDEX outbox_asked_for ON outbox (client_key, scheduled_for) WHERE kind = 'manual' AND trigger IS NULL;

CREATE INDEX outbox_awaiting ON outbox (due_at, id) WHERE state = 'awaiting';

CREATE INDEX outbox_by_run ON outbox (run_id) WHERE kind = 'callback';

CREATE INDEX outbox_due ON outbox (due_at) WHERE state = 'waiting';

CREATE INDEX outbox_ended ON outbox (keep, run_id)
  WHERE kind = 'callback' AND state IN ('succeeded', 'failed');

CREATE INDEX outbox_further ON outbox (client_key, scheduled_for) WHERE trigger IS NOT NULL;

CREATE INDEX outbox_in_flight ON outbox (id) WHERE state = 'inFlight';

CREATE INDEX outbox_manual ON outbox (schedule_key, due_at, id) WHERE kind = 'manual';

CREATE INDEX outbox_manual_begun ON outbox (schedule_key)
  WHERE kind = 'manual' AND state IN ('inFlight', 'awaiting');

CREATE INDEX outbox_manual_of_client ON outbox (client_key, scheduled_for) WHERE kind = 'manual';

CREATE UNIQUE INDEX outbox_of_target ON outbox (schedule_key) WHERE trigger = 'target';

CREATE INDEX queue_awaiting ON queue (scheduled_for, schedule_key) WHERE state = 'awaiting';

CREATE INDEX queue_due ON queue (due_at) WHERE state <> 'inFlight';

CREATE INDEX queue_in_flight ON queue (schedule_key) WHERE state = 'inFlight';

CREATE INDEX queue_retrying ON queue (scheduled_for, schedule_key)
  WHERE state IN ('retrying', 'lost');

CREATE INDEX runs_by_schedule ON runs (schedule_key, scheduled_for);

CREATE INDEX runs_by_status ON runs (client_key, status, scheduled_for)
  WHERE status <> 'succeeded';

CREATE INDEX runs_ended ON runs (client_key, finished_at, status, started_at)
  WHERE finished_at IS NOT NULL;

CREATE INDEX runs_manual ON runs (manual_id) WHERE manual_id <> '';

CREATE INDEX schedule_changes_by_age ON schedule_changes (changed_at);

CREATE INDEX schedule_marks_of ON schedule_marks (schedule_key);

CREATE INDEX schedule_texts_by_client ON schedule_texts (client_key, last_id);

CREATE UNIQUE INDEX schedule_texts_changed ON schedule_texts (changed_key)
  WHERE changed_key IS NOT NULL;

CREATE INDEX schedule_texts_small ON schedule_texts (client_key)
  WHERE entries < 128 AND changed_key IS NULL;

CREATE INDEX schedule_versions_by_age ON schedule_versions (until_at);

CREATE INDEX schedule_versions_until ON schedule_versions (schedule_key, until_at);

CREATE UNIQUE INDEX schedules_by_client ON schedules (client_key, id);

CREATE UNIQUE INDEX schedules_by_external_id ON schedules (client_key, external_id)
  WHERE external_id IS NOT NULL AND status <> 'deleted';

CREATE INDEX schedules_by_status ON schedules (client_key, status, id);

CREATE INDEX schedules_by_tail ON schedules (client_key, substr(id, 15));

CREATE INDEX schedules_updated ON schedules (client_key, updated_at) WHERE updated_at IS NOT NULL;

CREATE INDEX sessions_by_end ON sessions (expires_at);

CREATE INDEX sessions_by_key ON sessions (key_id);
