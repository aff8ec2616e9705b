-- Works with: 12
-- Every kind of target: destinations, templates, success, answers that come later. An older node fires no schedule that
-- uses any of it (`queue.needs` 2).

-- How hosts are talked to. `secrets` is encrypted; NULL where there are none.
CREATE TABLE destinations (
  client_key bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  config text NOT NULL,
  secrets text,
  version text NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint,
  PRIMARY KEY (client_key, name)
);

-- The engines that fire from this store, each with the instant at which it was last seen, by the clock of the database.
CREATE TABLE engines (
  node text NOT NULL PRIMARY KEY,
  seen_at timestamptz NOT NULL
);

-- What targets have said of runs that end later: an end with its `status`, or only a later deadline. `run_id` is the run's;
-- of each attempt the first end counts.
CREATE TABLE completions (
  run_id text NOT NULL,
  attempt integer NOT NULL,
  client_key bigint NOT NULL,
  schedule_key bigint NOT NULL,
  said_at bigint NOT NULL,
  status text,
  message text,
  deadline_at bigint,
  PRIMARY KEY (run_id, attempt)
);

CREATE INDEX completions_by_age ON completions (said_at);

-- Runs that wait for their completion, by their place in history and by their deadline; no other row enters them.
CREATE INDEX queue_awaiting ON queue (scheduled_for, schedule_key) WHERE state = 'awaiting';
CREATE INDEX outbox_awaiting ON outbox (due_at, id) WHERE state = 'awaiting';

-- Of a further run that the target asked for: 'target' while it waits; 'begun' where a newer one was asked for since, and
-- 'dropped' where it is not to come any more. NULL: somebody else asked for the run.
ALTER TABLE outbox ADD COLUMN trigger text;
CREATE UNIQUE INDEX outbox_of_target ON outbox (schedule_key) WHERE trigger = 'target';
-- Both apart: a client has at most 1,000 runs of the first, and of the second as many as schedules.
CREATE INDEX outbox_asked_for ON outbox (client_key, scheduled_for) WHERE kind = 'manual' AND trigger IS NULL;
CREATE INDEX outbox_further ON outbox (client_key, scheduled_for) WHERE trigger IS NOT NULL;

-- What `Punctual-Fence` said last, where that is more than `claimed_at`: of a manual run, or after the clock was set back.
ALTER TABLE queue ADD COLUMN fence bigint;

-- The level that an engine must have to take a manual run; NULL: any. One that needs a level waits as `reserved`: nodes of
-- before take what is `waiting`, and know no level. The table sees to it whoever writes, for such a node also writes: it
-- takes calls, and takes back the runs of a node that is gone. A level never falls: the target may have the request. A run
-- of a suspended client waits beyond every instant until any node brings it back; then it is reserved.
ALTER TABLE outbox ADD COLUMN needs integer;
CREATE INDEX outbox_reserved ON outbox (due_at, id) WHERE state = 'reserved';

-- Level 2, as domain/schedule/level.ts says it; and what a node of before does not know at all.
CREATE FUNCTION punctual_outbox_level() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.state = 'awaiting' OR NEW.trigger IS NOT NULL OR EXISTS (
    SELECT FROM schedules
    WHERE schedule_key = NEW.schedule_key AND (delivery::json->>'destination' IS NOT NULL OR EXISTS (
      SELECT FROM json_object_keys(policy::json) AS field
      WHERE field NOT IN ('timeoutSeconds', 'maxRetries', 'catchUpSeconds')))
  ) THEN
    NEW.needs := greatest(NEW.needs, 2);
  END IF;
  IF NEW.state = 'waiting' AND NEW.needs IS NOT NULL THEN
    NEW.state := 'reserved';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER punctual_outbox_level BEFORE INSERT OR UPDATE OF state, due_at ON outbox
  FOR EACH ROW WHEN (NEW.kind = 'manual' AND NEW.state IN ('waiting', 'awaiting') AND NEW.due_at < 1000000000000000)
  EXECUTE FUNCTION punctual_outbox_level();
