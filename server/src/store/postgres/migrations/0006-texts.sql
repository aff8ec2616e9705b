-- Works with: 1
-- Labels and urls, folded, of many schedules in one row each, for searches (store/texts.ts). Triggers
-- write them, so that an older node that makes or changes schedules keeps them true as well; a node that
-- writes them with its creates says so (session.ts). What was there before is filled in by the next
-- migration, while schedules can be made and changed.
CREATE TABLE schedule_texts (
  client_key bigint NOT NULL,
  first_id text COLLATE "C" NOT NULL,
  last_id text COLLATE "C" NOT NULL,
  entries integer NOT NULL,
  changed_key bigint,
  labels text COLLATE "C" NOT NULL,
  urls text COLLATE "C" NOT NULL,
  keys bigint[] NOT NULL
);

-- Looked through all the time: compressed it takes as long, and each create longer.
ALTER TABLE schedule_texts ALTER labels SET STORAGE EXTERNAL, ALTER urls SET STORAGE EXTERNAL;

CREATE INDEX schedule_texts_by_client ON schedule_texts (client_key, last_id);
CREATE UNIQUE INDEX schedule_texts_changed ON schedule_texts (changed_key)
  WHERE changed_key IS NOT NULL;
CREATE INDEX schedule_texts_small ON schedule_texts (client_key)
  WHERE entries < 128 AND changed_key IS NULL;

CREATE FUNCTION punctual_texts_made() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO schedule_texts (client_key, first_id, last_id, entries, labels, urls, keys)
  SELECT client_key, min(id), max(id), count(*),
    string_agg(translate(label_folded, E'\x01', E'\x02'), E'\x01' ORDER BY id),
    string_agg(translate(url_folded, E'\x01', E'\x02'), E'\x01' ORDER BY id),
    array_agg(schedule_key ORDER BY id)
  FROM (
    SELECT *, (row_number() OVER (PARTITION BY client_key ORDER BY id) - 1) / 500 AS part
    FROM made) AS parts
  GROUP BY client_key, part;
  RETURN NULL;
END $$;

CREATE FUNCTION punctual_texts_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO schedule_texts
    (client_key, first_id, last_id, entries, labels, urls, keys, changed_key)
  VALUES (NEW.client_key, NEW.id, NEW.id, 1, translate(NEW.label_folded, E'\x01', E'\x02'),
    translate(NEW.url_folded, E'\x01', E'\x02'), ARRAY[NEW.schedule_key], NEW.schedule_key)
  ON CONFLICT (changed_key) WHERE changed_key IS NOT NULL DO UPDATE SET labels = excluded.labels, urls = excluded.urls;
  RETURN NULL;
END $$;

CREATE TRIGGER schedule_texts_made AFTER INSERT ON schedules
  REFERENCING NEW TABLE AS made FOR EACH STATEMENT
  WHEN (current_setting('punctual.writes_texts', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION punctual_texts_made();
CREATE TRIGGER schedule_texts_changed AFTER UPDATE ON schedules FOR EACH ROW
  WHEN (old.label_folded <> new.label_folded OR old.url_folded <> new.url_folded)
  EXECUTE FUNCTION punctual_texts_changed();
