-- Works with: 6
-- What holds for all of the installation: since when it is paused. An older service fires all the same.
CREATE TABLE installation (
  name TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
