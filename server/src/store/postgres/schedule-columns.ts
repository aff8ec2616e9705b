/** Named wherever schedules are read: `*` would become another statement when a column is added. */
export const SCHEDULE = `version, id, status, url, verb, interval, timezone, created_at, updated_at, headers,
  data, integrations, label, policy`;
