-- Works with: 6
-- Which key made a key; NULL: an operator did, or a Punctual that did not note it.
ALTER TABLE api_keys ADD COLUMN created_by TEXT;

CREATE INDEX api_keys_by_maker ON api_keys (created_by) WHERE created_by IS NOT NULL;

-- A session that an older Punctual began has no id: it counts there only.
ALTER TABLE sessions ADD COLUMN id TEXT;
ALTER TABLE sessions ADD COLUMN created_at INTEGER;
ALTER TABLE sessions ADD COLUMN last_used_at INTEGER;

CREATE INDEX sessions_by_key ON sessions (key_id);
