-- Works with: 6
-- The manual runs of one client are counted and listed without reading those of others.
CREATE INDEX outbox_manual_of_client ON outbox (client_key, scheduled_for) WHERE kind = 'manual';
