-- Programs that sweep files declare, each a workload of its own with parameters and metrics of its
-- own. Its trials are in params_<name> like those of any workload.
CREATE TABLE program (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  base TEXT NOT NULL,  -- the workload that runs it
  help TEXT NOT NULL
) STRICT;

CREATE TABLE program_param (
  program       INTEGER NOT NULL REFERENCES program (id),
  position      INTEGER NOT NULL,
  name          TEXT NOT NULL,
  type          TEXT NOT NULL,
  default_value TEXT NOT NULL,  -- as it is written in a sweep file
  unit          TEXT NOT NULL,
  help          TEXT NOT NULL,
  minimum       REAL,
  maximum       REAL,
  PRIMARY KEY (program, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE program_choice (
  program  INTEGER NOT NULL REFERENCES program (id),
  param    TEXT NOT NULL,
  position INTEGER NOT NULL,
  choice   TEXT NOT NULL,
  PRIMARY KEY (program, param, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE program_metric (
  program  INTEGER NOT NULL REFERENCES program (id),
  position INTEGER NOT NULL,
  name     TEXT NOT NULL,
  unit     TEXT NOT NULL,
  better   TEXT NOT NULL CHECK (better IN ('', 'lower', 'higher')),
  help     TEXT NOT NULL,
  PRIMARY KEY (program, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE program_phase (
  program  INTEGER NOT NULL REFERENCES program (id),
  position INTEGER NOT NULL,
  name     TEXT NOT NULL,
  PRIMARY KEY (program, position)
) STRICT, WITHOUT ROWID;
