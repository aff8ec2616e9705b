-- Ids sort by their bytes, whatever the database's collation is. Texts in which a list looks for a
-- part have a folded copy beside them: lower() depends on the collation too.

CREATE TABLE clients (
  client_key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  name text NOT NULL,
  signing_secret text NOT NULL,
  created_at bigint NOT NULL
);

CREATE TABLE api_keys (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  client_key bigint NOT NULL REFERENCES clients,
  hash text COLLATE "C" NOT NULL UNIQUE,
  created_at bigint NOT NULL,
  revoked_at bigint
);

CREATE INDEX api_keys_by_client ON api_keys (client_key);

-- Its client and its schedule are never deleted: a foreign key would lock the client's row for each
-- schedule, and prove nothing.
CREATE TABLE schedules (
  schedule_key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  client_key bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  version integer NOT NULL DEFAULT 1,
  status text NOT NULL,
  url text NOT NULL,
  verb text NOT NULL,
  interval text NOT NULL,
  timezone text NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint,
  headers text,
  data text,
  integrations text,
  label text NOT NULL,
  policy text,
  url_folded text COLLATE "C" NOT NULL,
  label_folded text COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX schedules_by_client ON schedules (client_key, id);
-- From the id of a run back to its schedule: what stands behind the instant (domain/id.ts, tailOf).
CREATE INDEX schedules_by_tail ON schedules (client_key, substr(id, 15));

-- At most one row per schedule: when it next wants attention, and which run and attempt that is.
-- While it is in flight, `claimed_by` is the node that holds it, until `lease_until` by this
-- database's clock.
CREATE TABLE queue (
  schedule_key bigint PRIMARY KEY,
  state text NOT NULL,
  due_at bigint NOT NULL,
  scheduled_for bigint NOT NULL,
  next_for bigint,
  attempt integer NOT NULL DEFAULT 0,
  attempts text,
  claimed_at bigint,
  changed_at bigint,
  blocked_since bigint,
  claimed_by uuid,
  lease_until timestamptz
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);

-- A firing leaves this index when it is claimed and enters it again when it is settled; schedules
-- at rest never touch it.
CREATE INDEX queue_due ON queue (due_at, schedule_key) WHERE state <> 'inFlight';

-- The runs that have begun and not ended: small, for history and for recovery.
CREATE INDEX queue_begun ON queue (lease_until) WHERE state <> 'waiting';

-- Ended runs, by how long they are kept (store/keep.ts) and by the day of their nominal time, so that
-- retention drops tables. The days are made ahead (partitions.ts); all others share the default.
-- The identity is client, nominal time, schedule and manual id; who writes a run looks whether it is
-- there with the other `keep`.
CREATE TABLE runs (
  keep text NOT NULL,
  client_key bigint NOT NULL,
  scheduled_for bigint NOT NULL,
  schedule_key bigint NOT NULL,
  manual_id text COLLATE "C" NOT NULL,
  trigger text NOT NULL,
  status text NOT NULL,
  started_at bigint,
  finished_at bigint,
  attempts text NOT NULL,
  reason text,
  missed text,
  PRIMARY KEY (client_key, scheduled_for, schedule_key, manual_id, keep)
) PARTITION BY LIST (keep);

CREATE TABLE runs_short PARTITION OF runs FOR VALUES IN ('short')
  PARTITION BY RANGE (scheduled_for);
CREATE TABLE runs_long PARTITION OF runs FOR VALUES IN ('long')
  PARTITION BY RANGE (scheduled_for);
CREATE TABLE runs_short_default PARTITION OF runs_short DEFAULT;
CREATE TABLE runs_long_default PARTITION OF runs_long DEFAULT;

CREATE INDEX runs_by_schedule ON runs (schedule_key, scheduled_for, manual_id);
-- In runs_long all have one status.
CREATE INDEX runs_by_status ON runs_short
  (client_key, status, scheduled_for, schedule_key, manual_id) WHERE status <> 'succeeded';
CREATE INDEX runs_manual ON runs (manual_id) WHERE manual_id <> '';

-- Callbacks and manual runs that still have to be sent, and callbacks that have ended.
CREATE TABLE outbox (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  kind text NOT NULL,
  client_key bigint NOT NULL,
  schedule_key bigint NOT NULL,
  state text NOT NULL,
  due_at bigint NOT NULL,
  attempt integer NOT NULL DEFAULT 0,
  attempts text,
  claimed_at bigint,
  scheduled_for bigint,
  run_id text COLLATE "C",
  integration_id text,
  url text,
  body text,
  keep text NOT NULL DEFAULT 'long',
  claimed_by uuid,
  lease_until timestamptz
) WITH (fillfactor = 70);

CREATE INDEX outbox_due ON outbox (due_at, id) WHERE state = 'waiting';
CREATE INDEX outbox_in_flight ON outbox (lease_until) WHERE state = 'inFlight';
CREATE INDEX outbox_manual ON outbox (schedule_key) WHERE kind = 'manual';
CREATE INDEX outbox_by_run ON outbox (run_id) WHERE kind = 'callback';
CREATE INDEX outbox_ended ON outbox (keep, run_id)
  WHERE kind = 'callback' AND state IN ('succeeded', 'failed');
