-- Kernels know their class and their short name, and the operators that launched them have a table.
-- What stood in `kernel` before was never written by any release; it is kept all the same.
CREATE TABLE kernel_new (
  attempt    INTEGER NOT NULL REFERENCES attempt (row),
  rank       INTEGER NOT NULL,
  phase      INTEGER NOT NULL REFERENCES name (id),
  range      INTEGER NOT NULL REFERENCES name (id),
  kernel     INTEGER NOT NULL REFERENCES name (id),
  short_name INTEGER NOT NULL REFERENCES name (id),
  class      INTEGER NOT NULL REFERENCES name (id),
  grid_x     INTEGER NOT NULL,
  grid_y     INTEGER NOT NULL,
  grid_z     INTEGER NOT NULL,
  block_x    INTEGER NOT NULL,
  block_y    INTEGER NOT NULL,
  block_z    INTEGER NOT NULL,
  calls      INTEGER NOT NULL,
  total_ns   REAL NOT NULL,
  mean_ns    REAL NOT NULL,
  median_ns  REAL NOT NULL,
  min_ns     REAL NOT NULL,
  max_ns     REAL NOT NULL,
  std_ns     REAL NOT NULL,
  PRIMARY KEY (attempt, rank, phase, range, kernel, grid_x, grid_y, grid_z, block_x, block_y,
               block_z)
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO name (text) SELECT 'other' WHERE EXISTS (SELECT 1 FROM kernel);
INSERT INTO kernel_new
SELECT attempt, rank, phase, range, kernel, kernel, (SELECT id FROM name WHERE text = 'other'),
       grid_x, grid_y, grid_z, block_x, block_y, block_z, calls, total_ns, mean_ns, median_ns,
       min_ns, max_ns, std_ns
FROM kernel;
DROP TABLE kernel;
ALTER TABLE kernel_new RENAME TO kernel;

CREATE TABLE operator (
  attempt         INTEGER NOT NULL REFERENCES attempt (row),
  rank            INTEGER NOT NULL,
  phase           INTEGER NOT NULL REFERENCES name (id),
  range           INTEGER NOT NULL REFERENCES name (id),
  operator        INTEGER NOT NULL REFERENCES name (id),
  calls           INTEGER NOT NULL,
  self_cpu_ns     REAL NOT NULL,
  total_cpu_ns    REAL NOT NULL,
  self_device_ns  REAL NOT NULL,
  total_device_ns REAL NOT NULL,
  PRIMARY KEY (attempt, rank, phase, range, operator)
) STRICT, WITHOUT ROWID;
