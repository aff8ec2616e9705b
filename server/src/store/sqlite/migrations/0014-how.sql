-- Works with: 13
-- Every kind of target: destinations, templates, success, answers that come later. An older service fires no schedule that
-- uses any of it (`queue.needs` 2).

-- How hosts are talked to. `secrets` is encrypted; NULL where there are none.
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

-- The engines that fire from this store, each with the instant at which it was last seen.
CREATE TABLE engines (
  node TEXT NOT NULL PRIMARY KEY,
  seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What targets have said of runs that end later: an end with its `status`, or only a later deadline. `run_id` is the run's;
-- of each attempt the first end counts.
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

CREATE INDEX completions_by_age ON completions (said_at);

-- Runs that wait for their completion, by their place in history and by their deadline; no other row enters them.
CREATE INDEX queue_awaiting ON queue (scheduled_for, schedule_key) WHERE state = 'awaiting';
CREATE INDEX outbox_awaiting ON outbox (due_at, id) WHERE state = 'awaiting';
DROP INDEX outbox_manual_in_flight;
CREATE INDEX outbox_manual_begun ON outbox (schedule_key)
  WHERE kind = 'manual' AND state IN ('inFlight', 'awaiting');

-- Of a further run that the target asked for: 'target' while it waits; 'begun' where a newer one was asked for since, and
-- 'dropped' where it is not to come any more. NULL: somebody else asked for the run.
ALTER TABLE outbox ADD COLUMN trigger TEXT;
CREATE UNIQUE INDEX outbox_of_target ON outbox (schedule_key) WHERE trigger = 'target';
-- Both apart: a client has at most 1,000 runs of the first, and of the second as many as schedules.
CREATE INDEX outbox_asked_for ON outbox (client_key, scheduled_for) WHERE kind = 'manual' AND trigger IS NULL;
CREATE INDEX outbox_further ON outbox (client_key, scheduled_for) WHERE trigger IS NOT NULL;

-- What `Punctual-Fence` said last, where that is more than `claimed_at`: of a manual run, or after the clock was set back.
ALTER TABLE queue ADD COLUMN fence INTEGER;
