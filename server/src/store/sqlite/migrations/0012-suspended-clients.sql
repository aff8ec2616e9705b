-- Works with: 6
-- Since when a client is suspended, since when it is resumed while its rows come back, and when it was deleted. An older
-- service fires all the same.
ALTER TABLE clients ADD COLUMN suspended_at INTEGER;
ALTER TABLE clients ADD COLUMN resumed_at INTEGER;
ALTER TABLE clients ADD COLUMN deleted_at INTEGER;
