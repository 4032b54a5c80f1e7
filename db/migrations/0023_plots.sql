-- The plots that a sweep declares. What a plot shows is stored as a table (sweep_table), and so are
-- the figures at which vertical lines stand; `report` does not print these two. The words of mark
-- and spread are those of runner/model/plot_shape.h, which whoever reads them checks.
CREATE TABLE sweep_table_plot (
  sweep          INTEGER NOT NULL,
  position       INTEGER NOT NULL,
  table_position INTEGER NOT NULL,
  lines_position INTEGER,          -- NULL: no vertical lines
  mark           TEXT NOT NULL,
  figure         TEXT NOT NULL,
  x              TEXT NOT NULL,
  y              TEXT NOT NULL,    -- a dimension, of a heat map only
  color          TEXT NOT NULL,    -- '': none
  facet          TEXT NOT NULL,    -- '': none
  log_x          INTEGER NOT NULL CHECK (log_x IN (0, 1)),
  log_y          INTEGER NOT NULL CHECK (log_y IN (0, 1)),
  spread         TEXT NOT NULL,
  band           INTEGER NOT NULL CHECK (band IN (0, 1)),
  stacked        INTEGER NOT NULL CHECK (stacked IN (0, 1)),
  PRIMARY KEY (sweep, position),
  FOREIGN KEY (sweep, table_position) REFERENCES sweep_table (sweep, position),
  FOREIGN KEY (sweep, lines_position) REFERENCES sweep_table (sweep, position)
) STRICT, WITHOUT ROWID;
