-- How much equal runs of one trial differ on one host, by `sweepctl noise`: the newest measurement of each.
CREATE TABLE noise (
  host INTEGER NOT NULL REFERENCES host (id),
  device INTEGER NOT NULL DEFAULT 0,  -- of rank 0; 0 where none was recorded
  trial INTEGER NOT NULL REFERENCES trial (id),
  attempt INTEGER NOT NULL,           -- one of those measured
  measured_ns INTEGER NOT NULL,
  processes INTEGER NOT NULL,
  spread REAL NOT NULL,
  a_side INTEGER NOT NULL,
  pairs INTEGER NOT NULL,
  median_difference REAL NOT NULL,
  p95_difference REAL NOT NULL,
  false_alarms INTEGER NOT NULL,
  found INTEGER NOT NULL,
  slowdown REAL NOT NULL,
  enough INTEGER NOT NULL,
  PRIMARY KEY (host, device, trial)
) STRICT, WITHOUT ROWID;
