-- Tables with several values side by side, headings of their own, and a baseline to compare with.
ALTER TABLE sweep_table ADD COLUMN bold TEXT NOT NULL DEFAULT 'none'
  CHECK (bold IN ('none', 'faster', 'slower', 'changed'));
ALTER TABLE sweep_table_dimension ADD COLUMN heading TEXT;  -- NULL: the name itself

-- What stands empty (warmup: NULL) is the table's.
CREATE TABLE sweep_table_value (
  sweep          INTEGER NOT NULL,
  table_position INTEGER NOT NULL,
  position       INTEGER NOT NULL,
  name           TEXT NOT NULL,
  cell           TEXT NOT NULL,
  metric         TEXT NOT NULL,
  unit           TEXT NOT NULL,
  warmup         INTEGER CHECK (warmup IN (0, 1)),
  bold           TEXT NOT NULL CHECK (bold IN ('none', 'faster', 'slower', 'changed')),
  PRIMARY KEY (sweep, table_position, position),
  FOREIGN KEY (sweep, table_position) REFERENCES sweep_table (sweep, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE sweep_table_value_filter (
  sweep          INTEGER NOT NULL,
  table_position INTEGER NOT NULL,
  table_value    INTEGER NOT NULL,
  position       INTEGER NOT NULL,
  value_position INTEGER NOT NULL,
  name           TEXT NOT NULL,
  value          TEXT NOT NULL,
  PRIMARY KEY (sweep, table_position, table_value, position, value_position),
  FOREIGN KEY (sweep, table_position, table_value)
    REFERENCES sweep_table_value (sweep, table_position, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE sweep_table_baseline (
  sweep          INTEGER NOT NULL,
  table_position INTEGER NOT NULL,
  position       INTEGER NOT NULL,
  name           TEXT NOT NULL,
  value          TEXT NOT NULL,
  PRIMARY KEY (sweep, table_position, position),
  FOREIGN KEY (sweep, table_position) REFERENCES sweep_table (sweep, position)
) STRICT, WITHOUT ROWID;
