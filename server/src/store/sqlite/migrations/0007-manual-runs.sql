-- Works with: 6
-- The earliest manual run of a schedule, and the one in flight, are found without reading those that wait
-- behind them.
DROP INDEX outbox_manual;
CREATE INDEX outbox_manual ON outbox (schedule_key, due_at, id) WHERE kind = 'manual';
CREATE INDEX outbox_manual_in_flight ON outbox (schedule_key)
  WHERE kind = 'manual' AND state = 'inFlight';
