-- Works with: 12
-- What a schedule was until each of its changes: its whole configuration, and who made the change. A schedule that never
-- changed has no row. `changed_by`: the id of a key, or `cli`, `service`, `target`.
CREATE TABLE schedule_versions (
  schedule_key bigint NOT NULL,
  version integer NOT NULL,
  until_at bigint NOT NULL,
  changed_by text COLLATE "C" NOT NULL,
  config text NOT NULL,
  PRIMARY KEY (schedule_key, version)
);

CREATE INDEX schedule_versions_until ON schedule_versions (schedule_key, until_at);
CREATE INDEX schedule_versions_by_age ON schedule_versions (until_at);
