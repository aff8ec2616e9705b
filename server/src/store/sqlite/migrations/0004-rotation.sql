-- Works with: 3
-- The secret before the present one, which signs beside it until `old_secret_until`; and since when
-- a client has the present one, if not since it was made.
ALTER TABLE clients ADD COLUMN rotated_at INTEGER;
ALTER TABLE clients ADD COLUMN old_secret TEXT;
ALTER TABLE clients ADD COLUMN old_secret_until INTEGER;

CREATE INDEX clients_in_overlap ON clients (old_secret_until) WHERE old_secret_until IS NOT NULL;
