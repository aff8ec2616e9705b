-- Works with: 4
-- What is in flight is bounded; what waits for its retry is not, and is listed by its time. A firing
-- enters and leaves one of them, as it did the one index of before.
DROP INDEX queue_begun;
CREATE INDEX queue_in_flight ON queue (schedule_key) WHERE state = 'inFlight';
CREATE INDEX queue_retrying ON queue (scheduled_for, schedule_key)
  WHERE state IN ('retrying', 'lost');
