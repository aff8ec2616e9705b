-- Works with: 1
-- The secret before the present one, which signs beside it until `old_secret_until`; and since when
-- a client has the present one, if not since it was made.
ALTER TABLE clients ADD COLUMN rotated_at bigint, ADD COLUMN old_secret text,
  ADD COLUMN old_secret_until bigint;

CREATE INDEX clients_in_overlap ON clients (old_secret_until) WHERE old_secret_until IS NOT NULL;
