-- The migrations of builds before sweepd 0.2.0. They bring a database of version 1 to 36 to the
-- schema of 0037_initial.sql. Each section is one migration. Never edit this file.

-- Version 2: cores_lost
-- What others, or the hypervisor's other guests, took of the leased cores while an attempt was
-- measured; NULL at the moment `before`, and in results from before this was known.
ALTER TABLE device_state ADD COLUMN cores_lost_to_others REAL;
ALTER TABLE device_state ADD COLUMN cores_stolen REAL;

-- Version 3: table_values
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

-- Version 4: summary_by_metric
-- One metric of one phase over all attempts, read front to back: what a table over many trials asks.
-- It holds every column, so that the table itself is not read at all.
CREATE INDEX summary_by_metric ON summary (metric, phase, attempt, n, mean, std, min, p05, median,
                                           p95, max, mad);

-- Version 5: memory_held
-- Tensors that outlive a step of a memory pass, each by its name.
CREATE TABLE memory_held (
  attempt    INTEGER NOT NULL REFERENCES attempt (row),
  rank       INTEGER NOT NULL,
  kind       TEXT NOT NULL,
  name       INTEGER NOT NULL REFERENCES name (id),
  size_bytes INTEGER NOT NULL,
  PRIMARY KEY (attempt, rank, kind, name)
) STRICT, WITHOUT ROWID;

-- Version 6: profile
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

-- Version 7: table_sort
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

-- Version 8: seen_rates
-- A measured peak is a ruler for shares. It is set by what saturates the device in a run that nothing disturbed, and
-- raised by whatever valid attempt was faster, whichever came first.
ALTER TABLE device_peak ADD COLUMN seen_flops_per_s REAL NOT NULL DEFAULT 0;
ALTER TABLE device_peak ADD COLUMN seen_bytes_per_s REAL NOT NULL DEFAULT 0;

-- What a disturbed run or a small size had set is no ruler: it is measured again.
UPDATE device_peak SET flops_per_s = 0, flops_attempt = NULL WHERE flops_attempt IS NOT NULL AND flops_attempt NOT IN (
  SELECT a.row FROM attempt a JOIN phase_work w ON w.attempt = a.row JOIN device d ON d.id = device_peak.device
  WHERE a.row = device_peak.flops_attempt AND a.verdict = 'valid'
    AND w.flops >= iif(d.kind = 'cpu', 2147483648.0, 137438953472.0));
UPDATE device_peak SET bytes_per_s = 0, bytes_attempt = NULL WHERE bytes_attempt IS NOT NULL AND bytes_attempt NOT IN (
  SELECT a.row FROM attempt a JOIN phase_work w ON w.attempt = a.row JOIN device d ON d.id = device_peak.device
  WHERE a.row = device_peak.bytes_attempt AND a.verdict = 'valid'
    AND w.bytes >= iif(d.kind = 'cpu', 33554432.0, 536870912.0));

-- What valid attempts reached so far.
INSERT INTO device_peak (device, arithmetic, flops_per_s, bytes_per_s, seen_flops_per_s)
SELECT d.device, k.arithmetic, 0, 0, max(w.flops / (min(s.mean, s.median) * 1e-3))
FROM attempt a
JOIN attempt_device d ON d.attempt = a.row
JOIN work k ON k.attempt = a.row
JOIN phase_work w ON w.attempt = a.row AND w.flops > 0
JOIN summary s ON s.attempt = a.row AND s.phase = w.phase
JOIN name n ON n.id = s.metric AND n.text = 'time'
WHERE a.pass = 'timing' AND a.verdict = 'valid' AND s.mean > 0 AND s.median > 0
  AND (SELECT count(DISTINCT o.device) FROM attempt_device o WHERE o.attempt = a.row) = 1
GROUP BY d.device, k.arithmetic
ON CONFLICT (device, arithmetic) DO UPDATE SET seen_flops_per_s = excluded.seen_flops_per_s;

-- Version 9: bandwidth_means
-- The mean of a bandwidth is the bytes of all operations by the time of all: the harmonic mean of the
-- steps' rates. Until here it was their arithmetic mean, in which one quick step outweighs many.
UPDATE summary SET mean = coalesce(
  (SELECT count(*) / sum(1.0 / step.value) FROM
     (SELECT max(s.value) AS value FROM sample s
      WHERE s.attempt = summary.attempt AND s.metric = summary.metric AND
            s.phase = summary.phase AND s.warmup = 0 GROUP BY s.step) AS step), mean)
WHERE min > 0 AND metric IN (SELECT id FROM name WHERE text IN ('algbw', 'busbw'));

-- Version 10: host_cache
-- The last-level cache of a host, which decides what traffic says of its memory; 0 in results from
-- before this was known.
ALTER TABLE host ADD COLUMN cache_bytes INTEGER NOT NULL DEFAULT 0;

-- Version 11: code
-- What ran: a hash of the code of a built-in workload; empty where it was not recorded.
ALTER TABLE environment ADD COLUMN code TEXT NOT NULL DEFAULT '';
-- The key that the trial would have without the content of its program, by which an older result of
-- the same parameters is found; null where no program is part of the trial.
ALTER TABLE trial ADD COLUMN base_key TEXT;
CREATE INDEX trial_by_base_key ON trial (base_key) WHERE base_key IS NOT NULL;

-- Version 12: table_pool
-- The parameters over which the cells of a declared table may pool results of different trials.
CREATE TABLE sweep_table_pool (
  sweep          INTEGER NOT NULL,
  table_position INTEGER NOT NULL,
  position       INTEGER NOT NULL,
  name           TEXT NOT NULL,
  PRIMARY KEY (sweep, table_position, position),
  FOREIGN KEY (sweep, table_position) REFERENCES sweep_table (sweep, position)
) STRICT, WITHOUT ROWID;

-- Version 13: steady_state
-- Whether the steps of one attempt are on one level, and from which step on; NULL in results from
-- before this was known. A table over many trials reads the word beside the figures, from the index.
ALTER TABLE summary ADD COLUMN steady_from INTEGER;
ALTER TABLE summary ADD COLUMN steadiness TEXT;
DROP INDEX summary_by_metric;
CREATE INDEX summary_by_metric ON summary (metric, phase, attempt, n, mean, std, min, p05, median,
                                           p95, max, mad, steadiness);

-- Version 14: bold_rules
-- A cell may also be bold because it is the best of its row or column. The words are those of
-- runner/model/sweep.h (Bold), which whoever reads them checks. What says 'none' in a value had the
-- table's rule all the same; NULL says so now, and 'none' is none.
ALTER TABLE sweep_table ADD COLUMN bold_rule TEXT NOT NULL DEFAULT 'none';
UPDATE sweep_table SET bold_rule = bold;
ALTER TABLE sweep_table DROP COLUMN bold;
ALTER TABLE sweep_table RENAME COLUMN bold_rule TO bold;

ALTER TABLE sweep_table_value ADD COLUMN bold_rule TEXT;  -- NULL: the table's
UPDATE sweep_table_value SET bold_rule = nullif(bold, 'none');
ALTER TABLE sweep_table_value DROP COLUMN bold;
ALTER TABLE sweep_table_value RENAME COLUMN bold_rule TO bold;

-- Version 15: noise
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

-- Version 16: machine
-- On what it ran: a hash of host, CPU, cores, memory and, on cuda, GPUs, and the text that it is of
-- (runner/model/machine_id.h); empty where they were not recorded.
ALTER TABLE environment ADD COLUMN machine TEXT NOT NULL DEFAULT '';
ALTER TABLE environment ADD COLUMN machine_facts TEXT NOT NULL DEFAULT '';

-- Version 17: submitted_code
-- The content of the program when the sweep was submitted, where an older trial answers for the point
-- because any result was accepted (submit --reuse any); null elsewhere.
ALTER TABLE sweep_trial ADD COLUMN submitted_code TEXT;

-- Version 18: sweep_axes
-- The parameters that a sweep declares as axes, even with one value, for the labels of its attempts.
-- A sweep from before has no rows; its trials show in what they differ.
CREATE TABLE sweep_axis (
  sweep    INTEGER NOT NULL REFERENCES sweep (id),
  position INTEGER NOT NULL,
  name     TEXT NOT NULL,
  PRIMARY KEY (sweep, position)
) STRICT, WITHOUT ROWID;

-- Version 19: sentinel
-- A sweep may have a sentinel: a short measurement that runs now and then while the sweep runs
-- (runner/sched/sentinel_plan.h). Its results belong to a sweep of their own.
ALTER TABLE sweep ADD COLUMN sentinel_ns INTEGER;  -- the interval; NULL: none
-- The uid of the sweep whose sentinel this one is; NULL: it is none. A uid, since it must hold in
-- any database.
ALTER TABLE sweep ADD COLUMN sentinel_of TEXT;
CREATE INDEX sweep_by_watched ON sweep (sentinel_of) WHERE sentinel_of IS NOT NULL;

-- Version 20: device_properties
-- What the device itself says about its size: the L2 cache bounds what a timing can say about the
-- memory, and a GPU with another number of multiprocessors than its datasheet's is another GPU.
ALTER TABLE attempt_device ADD COLUMN cache_bytes INTEGER NOT NULL DEFAULT 0;  -- 0: unknown
ALTER TABLE attempt_device ADD COLUMN multiprocessors INTEGER;

-- Version 21: program
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

-- Version 22: pools
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

-- Version 23: plots
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

-- Version 24: reference
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

-- Version 25: frontier
-- Whether points of the sweep beyond one that ran out of memory are left out (runner/model/frontier.h).
ALTER TABLE sweep ADD COLUMN frontier INTEGER NOT NULL DEFAULT 1;

-- Version 26: pause
-- When the sweep was paused; NULL: it is not. A paused sweep starts no attempt: one that waits is
-- held while every live sweep that wants it is paused (db/base/held.h).
ALTER TABLE sweep ADD COLUMN paused_ns INTEGER;
CREATE INDEX sweep_paused ON sweep (paused_ns) WHERE paused_ns IS NOT NULL;

-- Version 27: paused_device
-- When the device was paused; NULL: it is not. No attempt is placed on a paused device.
ALTER TABLE device ADD COLUMN paused_ns INTEGER;

-- Version 28: notification
-- The command that runs once a sweep has ended. It is marked as begun before it starts, so that it
-- never runs twice.
CREATE TABLE notification (
  sweep    INTEGER PRIMARY KEY REFERENCES sweep (id),
  command  TEXT NOT NULL,
  begun_ns INTEGER,                  -- NULL: the sweep has not ended, or only just
  ended_ns INTEGER,
  problem  TEXT NOT NULL DEFAULT ''  -- why it failed; '': it did not
) STRICT;
CREATE INDEX notification_due ON notification (sweep) WHERE begun_ns IS NULL;

-- Version 29: sweep_count
-- How many trials and attempts a sweep has. `list` and `watch` ask all the time, and counting a
-- million rows takes most of a second. Triggers keep it, so that no writer can forget it.
CREATE TABLE sweep_count (
  sweep INTEGER NOT NULL REFERENCES sweep (id),
  what  TEXT NOT NULL,  -- 'trials', or the state of attempts: 'queued', 'running' or an outcome
  n     INTEGER NOT NULL,
  PRIMARY KEY (sweep, what)
) STRICT, WITHOUT ROWID;

INSERT INTO sweep_count SELECT sweep, 'trials', count(*) FROM sweep_trial GROUP BY sweep;
INSERT INTO sweep_count
SELECT sa.sweep, coalesce(a.outcome, iif(a.started_ns IS NULL, 'queued', 'running')) AS state,
       count(*)
FROM sweep_attempt sa JOIN attempt a ON a.row = sa.attempt GROUP BY sa.sweep, state;

CREATE TRIGGER trial_of_sweep_added AFTER INSERT ON sweep_trial BEGIN
  INSERT INTO sweep_count VALUES (NEW.sweep, 'trials', 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER trial_of_sweep_removed AFTER DELETE ON sweep_trial BEGIN
  UPDATE sweep_count SET n = n - 1 WHERE sweep = OLD.sweep AND what = 'trials';
END;
CREATE TRIGGER attempt_of_sweep_added AFTER INSERT ON sweep_attempt BEGIN
  INSERT INTO sweep_count
  SELECT NEW.sweep, coalesce(outcome, iif(started_ns IS NULL, 'queued', 'running')), 1
  FROM attempt WHERE "row" = NEW.attempt
  ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER attempt_of_sweep_removed AFTER DELETE ON sweep_attempt BEGIN
  UPDATE sweep_count SET n = n - 1
  WHERE sweep = OLD.sweep
    AND what = (SELECT coalesce(outcome, iif(started_ns IS NULL, 'queued', 'running'))
                FROM attempt WHERE "row" = OLD.attempt);
END;
CREATE TRIGGER attempt_of_sweep_changed AFTER UPDATE OF outcome, started_ns ON attempt
WHEN coalesce(OLD.outcome, iif(OLD.started_ns IS NULL, 'queued', 'running')) <>
     coalesce(NEW.outcome, iif(NEW.started_ns IS NULL, 'queued', 'running')) BEGIN
  UPDATE sweep_count SET n = n - 1
  WHERE sweep IN (SELECT sweep FROM sweep_attempt WHERE attempt = NEW."row")
    AND what = coalesce(OLD.outcome, iif(OLD.started_ns IS NULL, 'queued', 'running'));
  INSERT INTO sweep_count
  SELECT sweep, coalesce(NEW.outcome, iif(NEW.started_ns IS NULL, 'queued', 'running')), 1
  FROM sweep_attempt WHERE attempt = NEW."row"
  ON CONFLICT DO UPDATE SET n = n + 1;
END;

-- Version 30: insisted
-- 1: a person insisted on this attempt although its trial had killed its workers
-- (runner/model/crash_limit.h). Of the attempts before it none counts any more.
ALTER TABLE attempt ADD COLUMN insisted INTEGER NOT NULL DEFAULT 0 CHECK (insisted IN (0, 1));

-- Version 31: device_fault
-- What is wrong with a device on which nothing new starts, and the uid of the attempt that met it.
-- NULL: nothing is known, or somebody put it back in service.
ALTER TABLE device ADD COLUMN fault TEXT;
ALTER TABLE device ADD COLUMN fault_attempt TEXT;

-- Version 32: cpu_quota
-- How often the control group's CPU quota stopped an attempt while it was measured; NULL at the
-- moment `before`, where no quota is counted, and in results from before this was known.
ALTER TABLE device_state ADD COLUMN quota_periods INTEGER;
ALTER TABLE device_state ADD COLUMN throttled_periods INTEGER;

-- Version 33: shares
-- Of the FLOPs of a phase, those that repeat a result that was there before. Until here a backward of attention that keeps
-- no scores had them among its FLOPs in the workloads of attention alone, and the language model left them out.
ALTER TABLE phase_work ADD COLUMN recomputed_flops REAL NOT NULL DEFAULT 0;

-- Attention alone: 2.5 times the forward's FLOPs, of which 0.5 are computed again.
UPDATE phase_work SET recomputed_flops = again.flops
FROM (SELECT w.attempt, w.flops / 5 AS flops
      FROM phase_work w JOIN attempt a ON a.row = w.attempt
      JOIN figure f ON f.trial = a.trial AND f.value = 2.5 AND
                       f.name = (SELECT id FROM name WHERE text = 'backward_flops_factor')
      WHERE w.phase = (SELECT id FROM name WHERE text = 'backward')) AS again
WHERE phase_work.attempt = again.attempt AND phase IN (SELECT id FROM name WHERE text IN ('backward', 'step'));

-- The language model on every rank: attention is one kernel where its two products of each layer are not counted.
UPDATE phase_work SET flops = phase_work.flops + again.flops, recomputed_flops = again.flops
FROM (SELECT w.attempt, m.value / 2 * max(1, (SELECT count(*) FROM attempt_device d WHERE d.attempt = w.attempt)) AS flops
      FROM phase_work w JOIN attempt a ON a.row = w.attempt
      JOIN figure m ON m.trial = a.trial AND m.name = (SELECT id FROM name WHERE text = 'attention_matmul_flops')
      JOIN figure k ON k.trial = a.trial AND k.name = (SELECT id FROM name WHERE text = 'matmuls_forward')
      JOIN figure l ON l.trial = a.trial AND l.name = (SELECT id FROM name WHERE text = 'layers')
      WHERE w.phase = (SELECT id FROM name WHERE text = 'backward') AND k.value IN (7 * l.value + 1, 4 * l.value + 1)
     ) AS again
WHERE phase_work.attempt = again.attempt AND phase IN (SELECT id FROM name WHERE text IN ('backward', 'step'));

-- Softmax's share was that of whole ranges, in which scaling, the mask and copies counted as products.
UPDATE fact SET number = coalesce(
  (SELECT sum(iif(c.text = 'softmax', k.total_ns, 0)) / sum(k.total_ns)
   FROM kernel k JOIN name c ON c.id = k.class JOIN name r ON r.id = k.range JOIN name p ON p.id = k.phase
   WHERE k.attempt = fact.attempt AND k.rank = fact.rank AND
         p.text = iif(fact.name = (SELECT id FROM name WHERE text = 'profile.softmax_share'), 'forward', 'backward') AND
         ((c.text = 'softmax' AND r.text = 'attention.softmax') OR
          (c.text = 'matmul' AND r.text IN ('attention.scores', 'attention.output')))), number)
WHERE name IN (SELECT id FROM name WHERE text IN ('profile.softmax_share', 'profile.softmax_share_backward'));

-- What a reader should know of a published figure and is not wrong with it.
ALTER TABLE reference_doubt ADD COLUMN is_remark INTEGER NOT NULL DEFAULT 0 CHECK (is_remark IN (0, 1));

-- Version 34: unknown_memory
-- NULL where a size is not known: a program reports those that it knows, and without a report only
-- its resident set is. Until now these were 0.
CREATE TABLE memory_known (
  attempt              INTEGER NOT NULL REFERENCES attempt (row),
  rank                 INTEGER NOT NULL,
  phase                INTEGER NOT NULL REFERENCES name (id),
  at_start_bytes       INTEGER,
  at_end_bytes         INTEGER,
  peak_allocated_bytes INTEGER,
  peak_reserved_bytes  INTEGER,
  device_in_use_bytes  INTEGER,
  PRIMARY KEY (attempt, rank, phase)
) STRICT, WITHOUT ROWID;
INSERT INTO memory_known (attempt, rank, phase, at_start_bytes, at_end_bytes, peak_allocated_bytes,
                          peak_reserved_bytes, device_in_use_bytes)
SELECT attempt, rank, phase, at_start_bytes, at_end_bytes, peak_allocated_bytes,
       peak_reserved_bytes, device_in_use_bytes FROM memory;
UPDATE memory_known SET at_start_bytes = NULL, at_end_bytes = NULL, peak_allocated_bytes = NULL,
                        peak_reserved_bytes = NULL
WHERE peak_allocated_bytes = 0 AND peak_reserved_bytes = 0 AND device_in_use_bytes > 0;
DROP TABLE memory;
ALTER TABLE memory_known RENAME TO memory;

-- Version 35: stated_order
-- The order in which a workload states its facts and figures, from 0; 0 in older results. A table
-- shows them in it, whatever ids their names have here.
ALTER TABLE fact ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
ALTER TABLE figure ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
-- Of the program that measured, such as 0.2.0; empty in older results.
ALTER TABLE environment ADD COLUMN version TEXT NOT NULL DEFAULT '';

-- Version 36: rest
-- Which small rows of a declared table are added up in one. It was checked when a sweep came, and then forgotten.
ALTER TABLE sweep_table ADD COLUMN rest_value TEXT NOT NULL DEFAULT '';  -- '': none
ALTER TABLE sweep_table ADD COLUMN rest_below REAL NOT NULL DEFAULT 0;

-- Version 37: json
-- Declared tables, plots and programs become one JSON object each. JSON has no infinities.
CREATE TABLE sweep_declaration (
  sweep    INTEGER NOT NULL REFERENCES sweep (id),
  kind     TEXT NOT NULL CHECK (kind IN ('table', 'plot')),
  position INTEGER NOT NULL,
  json     TEXT NOT NULL,
  PRIMARY KEY (sweep, kind, position)
) STRICT, WITHOUT ROWID;

INSERT INTO sweep_declaration
SELECT t.sweep, 'table', t.position, json_object(
  'title', t.title,
  'rows', json((SELECT json_group_array(name) FROM (
    SELECT name FROM sweep_table_dimension d
    WHERE d.sweep = t.sweep AND d.table_position = t.position AND d.side = 'row' ORDER BY d.position))),
  'columns', json((SELECT json_group_array(name) FROM (
    SELECT name FROM sweep_table_dimension d
    WHERE d.sweep = t.sweep AND d.table_position = t.position AND d.side = 'column' ORDER BY d.position))),
  'cell', t.cell, 'metric', t.metric, 'unit', t.unit,
  'where', json((SELECT json_group_array(json_object('name', name, 'values', json(texts))) FROM (
    SELECT name, json_group_array(value) AS texts FROM (
      SELECT position, name, value FROM sweep_table_filter f
      WHERE f.sweep = t.sweep AND f.table_position = t.position ORDER BY position, value_position)
    GROUP BY position ORDER BY position))),
  'warmup', json(iif(t.warmup, 'true', 'false')), 'bold', t.bold,
  'headings', json((SELECT json_group_array(json_object('name', name, 'text', heading)) FROM (
    SELECT name, heading FROM sweep_table_dimension d
    WHERE d.sweep = t.sweep AND d.table_position = t.position AND d.heading IS NOT NULL
    ORDER BY d.side DESC, d.position))),
  'values', json((SELECT json_group_array(json(text)) FROM (
    SELECT json_object(
      'name', v.name, 'cell', v.cell, 'metric', v.metric, 'unit', v.unit,
      'where', json((SELECT json_group_array(json_object('name', name, 'values', json(texts))) FROM (
        SELECT name, json_group_array(value) AS texts FROM (
          SELECT position, name, value FROM sweep_table_value_filter f
          WHERE f.sweep = v.sweep AND f.table_position = v.table_position AND f.table_value = v.position
          ORDER BY position, value_position)
        GROUP BY position ORDER BY position))),
      'warmup', json(iif(v.warmup IS NULL, 'null', iif(v.warmup, 'true', 'false'))), 'bold', v.bold) AS text
    FROM sweep_table_value v
    WHERE v.sweep = t.sweep AND v.table_position = t.position ORDER BY v.position))),
  'baseline', json((SELECT json_group_array(json_object('name', name, 'values', json_array(value))) FROM (
    SELECT name, value FROM sweep_table_baseline b
    WHERE b.sweep = t.sweep AND b.table_position = t.position ORDER BY b.position))),
  'pool', json((SELECT json_group_array(name) FROM (
    SELECT name FROM sweep_table_pool p
    WHERE p.sweep = t.sweep AND p.table_position = t.position ORDER BY p.position))),
  'sort', json((SELECT json_group_array(sort_key) FROM (
    SELECT sort_key FROM sweep_table_sort s
    WHERE s.sweep = t.sweep AND s.table_position = t.position ORDER BY s.position))),
  'limit', t.row_limit,
  'rest', json(iif(t.rest_value = '', 'null', json_object('value', t.rest_value, 'below', json(printf('%!.17g', min(t.rest_below, 1e308)))))))
FROM sweep_table t;

-- A plot has its figures and its vertical lines, which were tables behind those of the sweep.
INSERT INTO sweep_declaration
SELECT p.sweep, 'plot', p.position, json_object(
  'data', json(data.json), 'lines', json(coalesce(lines.json, 'null')),
  'shape', json_object(
    'mark', p.mark, 'figure', p.figure, 'x', p.x, 'y', p.y, 'color', p.color, 'facet', p.facet,
    'log_x', json(iif(p.log_x, 'true', 'false')), 'log_y', json(iif(p.log_y, 'true', 'false')),
    'spread', nullif(p.spread, 'none'),
    'band', json(iif(p.band, 'true', 'false')), 'stacked', json(iif(p.stacked, 'true', 'false'))))
FROM sweep_table_plot p
JOIN sweep_declaration data
  ON data.sweep = p.sweep AND data.kind = 'table' AND data.position = p.table_position
LEFT JOIN sweep_declaration lines
  ON lines.sweep = p.sweep AND lines.kind = 'table' AND lines.position = p.lines_position;
DELETE FROM sweep_declaration WHERE kind = 'table' AND EXISTS (
  SELECT 1 FROM sweep_table_plot p
  WHERE p.sweep = sweep_declaration.sweep AND sweep_declaration.position IN (p.table_position, p.lines_position));

DROP TABLE sweep_table_plot;
DROP TABLE sweep_table_value_filter;
DROP TABLE sweep_table_value;
DROP TABLE sweep_table_baseline;
DROP TABLE sweep_table_pool;
DROP TABLE sweep_table_sort;
DROP TABLE sweep_table_filter;
DROP TABLE sweep_table_dimension;
DROP TABLE sweep_table;

-- Not by renaming: that would fail where a user's own view names a table that is gone.
CREATE TABLE program_json (name TEXT NOT NULL, json TEXT NOT NULL) STRICT;
INSERT INTO program_json
SELECT o.name, json_object(
  'base', o.base, 'help', o.help,
  'params', json((SELECT json_group_array(json(text)) FROM (
    SELECT json_object(
      'name', p.name, 'type', p.type, 'default', p.default_value, 'unit', p.unit, 'help', p.help,
      'minimum', json(iif(abs(p.minimum) < 9e999, printf('%!.17g', p.minimum), 'null')),
      'maximum', json(iif(abs(p.maximum) < 9e999, printf('%!.17g', p.maximum), 'null')),
      'choices', json((SELECT json_group_array(choice) FROM (
        SELECT choice FROM program_choice c
        WHERE c.program = p.program AND c.param = p.name ORDER BY c.position)))) AS text
    FROM program_param p WHERE p.program = o.id ORDER BY p.position))),
  'metrics', json((SELECT json_group_array(
    json_object('name', name, 'unit', unit, 'better', nullif(better, ''), 'help', help)) FROM (
    SELECT name, unit, better, help FROM program_metric m WHERE m.program = o.id ORDER BY m.position))),
  'phases', json((SELECT json_group_array(name) FROM (
    SELECT name FROM program_phase f WHERE f.program = o.id ORDER BY f.position))))
FROM program o;

DROP TABLE program_phase;
DROP TABLE program_metric;
DROP TABLE program_choice;
DROP TABLE program_param;
DROP TABLE program;
CREATE TABLE program (
  name TEXT NOT NULL PRIMARY KEY,
  json TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO program SELECT name, json FROM program_json;
DROP TABLE program_json;
