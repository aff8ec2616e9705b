-- How long an ended callback is kept: as long as its run ('short' or 'long', store/keep.ts).
ALTER TABLE outbox ADD COLUMN keep TEXT NOT NULL DEFAULT 'long';

CREATE INDEX outbox_ended ON outbox (keep, run_id)
  WHERE kind = 'callback' AND state IN ('succeeded', 'failed');
