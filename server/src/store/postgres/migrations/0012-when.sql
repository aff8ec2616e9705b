-- Works with: 1
-- Every kind of time. `timing` holds all that decides when a schedule fires besides interval and time zone, `delivery` what
-- its firing needs besides: both are NULL for plain schedules. An older node fires by the interval alone: use none of it
-- until all nodes are new.
ALTER TABLE schedules ADD COLUMN timing text, ADD COLUMN delivery text,
  ADD COLUMN external_id text COLLATE "C", ADD COLUMN tags text, ADD COLUMN status_reason text;
ALTER TABLE schedule_changes ADD COLUMN timing text;
-- The level that an engine must have to fire the row.
ALTER TABLE queue ADD COLUMN needs integer NOT NULL DEFAULT 0;

CREATE UNIQUE INDEX schedules_by_external_id ON schedules (client_key, external_id)
  WHERE external_id IS NOT NULL AND status <> 'deleted';

-- Tags, and the names that a schedule refers to: `tag:team`, `tag:team:billing`, `calendar:de`.
CREATE TABLE schedule_marks (
  client_key bigint NOT NULL,
  mark text COLLATE "C" NOT NULL,
  schedule_key bigint NOT NULL,
  PRIMARY KEY (client_key, mark, schedule_key)
);

CREATE INDEX schedule_marks_of ON schedule_marks (schedule_key);

-- Days and times without firings. `recount_before`: schedules with lower keys still count with an older version; NULL: none.
CREATE TABLE calendars (
  client_key bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  url text,
  version text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint,
  due_at bigint NOT NULL,
  stale_since bigint,
  fault text,
  recount_before bigint,
  PRIMARY KEY (client_key, name)
);

CREATE INDEX calendars_due ON calendars (due_at);
CREATE INDEX calendars_to_recount ON calendars (client_key, name) WHERE recount_before IS NOT NULL;
CREATE INDEX calendars_stale ON calendars (client_key, name) WHERE stale_since IS NOT NULL;

-- What a calendar said: its source, and the periods that it was expanded to. Replaced ones are kept for explanations.
CREATE TABLE calendar_versions (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  client_key bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  source text NOT NULL,
  periods text NOT NULL,
  expanded_at bigint NOT NULL,
  replaced_at bigint
);

CREATE INDEX calendar_versions_replaced ON calendar_versions (replaced_at) WHERE replaced_at IS NOT NULL;

-- Answers to calls that carried an Idempotency-Key, by what they made.
CREATE TABLE idempotency (
  client_key bigint NOT NULL,
  key text COLLATE "C" NOT NULL,
  fingerprint text NOT NULL,
  ids text NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (client_key, key)
);

CREATE INDEX idempotency_by_age ON idempotency (at);

-- The changes of the clock that times were counted with, for each zone in use, and those of the release before.
CREATE TABLE zone_rules (
  zone text COLLATE "C" NOT NULL PRIMARY KEY,
  release text NOT NULL,
  changes text NOT NULL,
  previous_release text,
  previous_changes text,
  changed_at bigint
);
