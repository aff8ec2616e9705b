-- Works with: 4
-- What engines note of hosts that do not answer, a row for each opening. Without an end it counts as
-- open until `open_until`: its engine may be gone.
CREATE TABLE breakers (
  id TEXT NOT NULL PRIMARY KEY,
  client_key INTEGER NOT NULL REFERENCES clients,
  origin TEXT NOT NULL,
  since INTEGER NOT NULL,
  opened_at INTEGER NOT NULL,
  closed_at INTEGER,
  open_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX breakers_opened ON breakers (client_key, opened_at);
CREATE INDEX breakers_closed ON breakers (client_key, closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX breakers_of_host ON breakers (client_key, origin, opened_at);
CREATE INDEX breakers_open ON breakers (client_key, open_until) WHERE closed_at IS NULL;
CREATE INDEX breakers_forgotten ON breakers (open_until) WHERE closed_at IS NULL;
CREATE INDEX breakers_by_age ON breakers (closed_at) WHERE closed_at IS NOT NULL;
