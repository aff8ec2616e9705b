-- Works with: 1
-- Since when a client is suspended, since when it is resumed while its rows come back, and when it was deleted. An older
-- node fires all the same.
ALTER TABLE clients ADD COLUMN suspended_at bigint, ADD COLUMN resumed_at bigint,
  ADD COLUMN deleted_at bigint;
