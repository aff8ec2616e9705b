-- Works with: 1
-- The texts of schedules that were made before the triggers. One that was made in between stands there
-- twice, which does no harm.
INSERT INTO schedule_texts (client_key, first_id, last_id, entries, labels, urls, keys)
SELECT client_key, min(id), max(id), count(*),
  string_agg(translate(label_folded, E'\x01', E'\x02'), E'\x01' ORDER BY id),
  string_agg(translate(url_folded, E'\x01', E'\x02'), E'\x01' ORDER BY id),
  array_agg(schedule_key ORDER BY id)
FROM (
  SELECT *, (row_number() OVER (PARTITION BY client_key ORDER BY id) - 1) / 500 AS part
  FROM schedules) AS parts
GROUP BY client_key, part;
