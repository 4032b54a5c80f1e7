-- Figures that others published (runner/model/reference.h). They are apart from trials and attempts, so no
-- query of measured results can find them by accident.
CREATE TABLE reference (
  id          INTEGER PRIMARY KEY,
  name        TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL,
  added_ns    INTEGER NOT NULL
) STRICT;
CREATE TABLE reference_row (
  id         INTEGER PRIMARY KEY,
  reference  INTEGER NOT NULL REFERENCES reference (id),
  line       INTEGER NOT NULL,
  source     TEXT NOT NULL,
  experiment TEXT NOT NULL,
  device     TEXT NOT NULL,
  workload   TEXT NOT NULL,
  phase      TEXT NOT NULL,
  metric     TEXT NOT NULL,
  unit       TEXT NOT NULL,
  outcome    TEXT NOT NULL,
  value      REAL,
  std        REAL,
  n          INTEGER NOT NULL,
  invalid    INTEGER NOT NULL CHECK (invalid IN (0, 1))
) STRICT;
CREATE INDEX reference_row_of ON reference_row (reference);
CREATE INDEX reference_row_by_workload ON reference_row (workload, metric);
CREATE TABLE reference_param (
  row   INTEGER NOT NULL REFERENCES reference_row (id),
  name  TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (row, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE reference_doubt (
  row      INTEGER NOT NULL REFERENCES reference_row (id),
  position INTEGER NOT NULL,
  text     TEXT NOT NULL,
  PRIMARY KEY (row, position)
) STRICT, WITHOUT ROWID;
