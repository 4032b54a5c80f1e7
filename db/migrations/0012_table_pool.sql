-- The parameters over which the cells of a declared table may pool results of different trials.
CREATE TABLE sweep_table_pool (
  sweep          INTEGER NOT NULL,
  table_position INTEGER NOT NULL,
  position       INTEGER NOT NULL,
  name           TEXT NOT NULL,
  PRIMARY KEY (sweep, table_position, position),
  FOREIGN KEY (sweep, table_position) REFERENCES sweep_table (sweep, position)
) STRICT, WITHOUT ROWID;
