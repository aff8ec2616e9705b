-- Works with: 1
-- What holds for all of the installation: since when it is paused. An older node fires all the same.
CREATE TABLE installation (
  name text COLLATE "C" NOT NULL PRIMARY KEY,
  value text NOT NULL
);
