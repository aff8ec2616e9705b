-- Works with: 1
-- The keys that encrypt signing secrets at rest, each wrapped by a key of the settings. An older service
-- signs with the encrypted text: it must be gone before the first secret is encrypted.
CREATE TABLE data_keys (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  wrapped text NOT NULL,
  created_at bigint NOT NULL
);
