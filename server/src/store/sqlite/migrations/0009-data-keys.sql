-- Works with: 6
-- The keys that encrypt signing secrets at rest, each wrapped by a key of the settings. An older service
-- signs with the encrypted text: it must be gone before the first secret is encrypted.
CREATE TABLE data_keys (
  id TEXT NOT NULL PRIMARY KEY,
  wrapped TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
