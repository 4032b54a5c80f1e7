-- How a declared table is sorted and cut. Both were checked when a sweep came, and then forgotten.
ALTER TABLE sweep_table ADD COLUMN row_limit INTEGER NOT NULL DEFAULT 0 CHECK (row_limit >= 0);  -- 0: all

CREATE TABLE sweep_table_sort (
  sweep          INTEGER NOT NULL,
  table_position INTEGER NOT NULL,
  position       INTEGER NOT NULL,
  sort_key       TEXT NOT NULL,  -- '-' in front: descending
  PRIMARY KEY (sweep, table_position, position),
  FOREIGN KEY (sweep, table_position) REFERENCES sweep_table (sweep, position)
) STRICT, WITHOUT ROWID;
