-- Works with: 12
-- The last fence of a schedule that has no row in the queue, or had none once: it is disabled, or has completed. Its next
-- row goes on from there. The table of the queue sees to it, whoever takes a row away.
CREATE TABLE fences (
  schedule_key bigint PRIMARY KEY,
  fence bigint NOT NULL
);

CREATE FUNCTION punctual_queue_keeps_fence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO fences (schedule_key, fence) VALUES (OLD.schedule_key, coalesce(OLD.fence, OLD.claimed_at))
  ON CONFLICT (schedule_key) DO UPDATE SET fence = greatest(fences.fence, excluded.fence);
  RETURN NULL;
END $$;

CREATE TRIGGER punctual_queue_keeps_fence AFTER DELETE ON queue
  FOR EACH ROW WHEN (coalesce(OLD.fence, OLD.claimed_at) IS NOT NULL)
  EXECUTE FUNCTION punctual_queue_keeps_fence();
