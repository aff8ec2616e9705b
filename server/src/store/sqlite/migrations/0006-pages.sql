-- Works with: 6
-- What is in flight is bounded; what waits for its retry is not, and is listed by its time. A firing
-- enters and leaves one of them, as it did the one index of before.
DROP INDEX queue_begun;
CREATE INDEX queue_in_flight ON queue (schedule_key) WHERE state = 'inFlight';
CREATE INDEX queue_retrying ON queue (scheduled_for, schedule_key)
  WHERE state IN ('retrying', 'lost');

-- Labels and urls, folded, of many schedules in one row each, for searches (store/texts.ts).
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

CREATE INDEX schedule_texts_by_client ON schedule_texts (client_key, last_id);
CREATE UNIQUE INDEX schedule_texts_changed ON schedule_texts (changed_key)
  WHERE changed_key IS NOT NULL;
CREATE INDEX schedule_texts_small ON schedule_texts (client_key)
  WHERE entries < 128 AND changed_key IS NULL;

INSERT INTO schedule_texts (client_key, first_id, last_id, entries, labels, urls, keys)
SELECT client_key, min(id), max(id), count(*), group_concat(sealed(label), char(1)),
  group_concat(sealed(url), char(1)), group_concat(schedule_key)
FROM (
  SELECT *, (row_number() OVER (PARTITION BY client_key ORDER BY id) - 1) / 500 AS part
  FROM schedules)
GROUP BY client_key, part;
