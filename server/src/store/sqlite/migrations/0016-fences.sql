-- Works with: 13
-- The last fence of a schedule that has no row in the queue, or had none once: it is disabled, or has completed. Its next
-- row goes on from there. The table of the queue sees to it, whoever takes a row away.
CREATE TABLE fences (
  schedule_key INTEGER NOT NULL PRIMARY KEY,
  fence INTEGER NOT NULL
) STRICT;

CREATE TRIGGER queue_keeps_fence AFTER DELETE ON queue
WHEN coalesce(OLD.fence, OLD.claimed_at) IS NOT NULL
BEGIN
  INSERT INTO fences (schedule_key, fence) VALUES (OLD.schedule_key, coalesce(OLD.fence, OLD.claimed_at))
  ON CONFLICT (schedule_key) DO UPDATE SET fence = max(fence, excluded.fence);
END;
