-- Pools: attempts run on this machine (`local`) or in a partition of a cluster
-- (schemas/config.md). A pool of a cluster is a row of `host`, since its nodes are alike: an attempt
-- counts once for each trial, pass, repeat and pool, whichever node it ran on. The node is the host
-- of its environment.
ALTER TABLE host ADD COLUMN pool TEXT NOT NULL DEFAULT 'local';

-- When an attempt was given to a pool that starts it later; NULL: it waits here, or the pool is
-- `local`.
ALTER TABLE attempt ADD COLUMN given_ns INTEGER;

-- Why an attempt began again: its pool took it away each time, and it is not at fault.
CREATE TABLE attempt_loss (
  attempt  INTEGER NOT NULL REFERENCES attempt (row),
  position INTEGER NOT NULL,
  lost_ns  INTEGER NOT NULL,
  reason   TEXT NOT NULL,
  PRIMARY KEY (attempt, position)
) STRICT, WITHOUT ROWID;

-- A sweep may want one trial in several pools. The key's columns come first: where they do not,
-- integrity_check of SQLite 3.40 sees NULL where there is none.
CREATE TABLE sweep_trial_in_pool (
  sweep          INTEGER NOT NULL REFERENCES sweep (id),
  trial          INTEGER NOT NULL REFERENCES trial (id),
  pool           TEXT NOT NULL DEFAULT 'local',
  position       INTEGER NOT NULL,
  priority       INTEGER NOT NULL,
  timeout_ns     INTEGER NOT NULL,
  repeats        INTEGER NOT NULL,
  submitted_code TEXT,
  PRIMARY KEY (sweep, trial, pool)
) STRICT, WITHOUT ROWID;
INSERT INTO sweep_trial_in_pool (sweep, trial, position, priority, timeout_ns, repeats,
                                 submitted_code)
SELECT sweep, trial, position, priority, timeout_ns, repeats, submitted_code FROM sweep_trial;
DROP TABLE sweep_trial;
ALTER TABLE sweep_trial_in_pool RENAME TO sweep_trial;
