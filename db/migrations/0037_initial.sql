-- The whole schema of a new database. An older database gets the same one from before_0_2.sql.
--
-- Times of day (`..._ns`) are ns since 1970-01-01 UTC, durations ns, sizes bytes; measured times
-- (metric `time` and its like in `sample` and `summary`) are ms. The unit is in a column's name
-- unless it is a metric's own. Booleans are 0 and 1. NULL, or '' in a text that is never NULL, is
-- unknown. Integer ids are valid in this file only; a `uid` or `key` is valid in every database.
-- A column that was added later has a default, or is NULL, in older rows.

-- ---- Names and machines

-- Texts that repeat in many rows (phases, metrics, kernels, formulas), once each.
CREATE TABLE name (
  id   INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT;

-- A machine, or a pool of a cluster, whose nodes are alike.
CREATE TABLE host (
  id           INTEGER PRIMARY KEY,
  uid          TEXT NOT NULL UNIQUE,             -- hash of machine-id and name, or of a pool's name
  hostname     TEXT NOT NULL,                    -- of a pool: its name
  cpu_model    TEXT NOT NULL,
  cores        INTEGER NOT NULL,                 -- usable ones
  sockets      INTEGER NOT NULL,
  memory_bytes INTEGER NOT NULL,
  cache_bytes  INTEGER NOT NULL DEFAULT 0,       -- of the last level; 0: unknown
  pool         TEXT NOT NULL DEFAULT 'local'     -- 'local': a machine
) STRICT;

-- A GPU, or the CPU of a host.
CREATE TABLE device (
  id                 INTEGER PRIMARY KEY,
  host               INTEGER NOT NULL REFERENCES host (id),
  kind               TEXT NOT NULL,              -- 'cpu', 'cuda'
  uuid               TEXT NOT NULL,
  name               TEXT NOT NULL,
  memory_bytes       INTEGER NOT NULL,
  compute_capability TEXT NOT NULL,
  paused_ns          INTEGER,                    -- since when nothing starts on it; NULL: it may
  fault              TEXT,                       -- why it is out of service; NULL: it is in service
  fault_attempt      TEXT,                       -- uid of the attempt that met the fault
  UNIQUE (host, kind, uuid, name)
) STRICT;

-- The software and the state of a host. Equal environments are one row.
CREATE TABLE environment (
  id            INTEGER PRIMARY KEY,
  uid           TEXT NOT NULL UNIQUE,            -- hash of every other column
  host          INTEGER NOT NULL REFERENCES host (id),
  kernel        TEXT NOT NULL,
  os            TEXT NOT NULL,
  governor      TEXT NOT NULL,                   -- of the CPU's frequency
  torch_version TEXT NOT NULL,
  cuda_version  TEXT NOT NULL,
  cudnn_version TEXT NOT NULL,
  nccl_version  TEXT NOT NULL,
  build_commit  TEXT NOT NULL,                   -- of sweepd
  cpu_math      TEXT NOT NULL,                   -- the path of CPU matmuls: 'mkl-avx512'
  threads       INTEGER NOT NULL,
  tf32_matmul   INTEGER CHECK (tf32_matmul IN (0, 1)),
  tf32_cudnn    INTEGER CHECK (tf32_cudnn IN (0, 1)),
  cores         TEXT NOT NULL,                   -- of rank 0: '0-3,8'
  code          TEXT NOT NULL DEFAULT '',        -- hash of a built-in workload's code
  machine       TEXT NOT NULL DEFAULT '',        -- hash of its hardware (model/machine/machine_id.h)
  machine_facts TEXT NOT NULL DEFAULT '',        -- the text that the hash is of
  version       TEXT NOT NULL DEFAULT ''         -- of sweepd: '0.2.0'
) STRICT;

-- ---- Sweeps

CREATE TABLE sweep (
  id           INTEGER PRIMARY KEY,
  uid          TEXT NOT NULL UNIQUE,
  name         TEXT NOT NULL,
  description  TEXT NOT NULL,
  workload     TEXT NOT NULL,
  trial_order  TEXT NOT NULL CHECK (trial_order IN ('interleaved', 'sequential', 'shuffled')),
  submitted_ns INTEGER NOT NULL,
  cancelled_ns INTEGER,
  source       TEXT NOT NULL,                    -- its text as submitted
  sentinel_ns  INTEGER,                          -- interval of its sentinel; NULL: it has none
  sentinel_of  TEXT,                             -- uid of the sweep that it watches; NULL: none
  frontier     INTEGER NOT NULL DEFAULT 1,       -- 1: skip points beyond one that ran out of memory
  paused_ns    INTEGER                           -- since when it starts nothing; NULL: not paused
) STRICT;
CREATE INDEX sweep_by_name ON sweep (name);
CREATE INDEX sweep_by_watched ON sweep (sentinel_of) WHERE sentinel_of IS NOT NULL;
CREATE INDEX sweep_paused ON sweep (paused_ns) WHERE paused_ns IS NOT NULL;

CREATE TABLE sweep_pass (
  sweep    INTEGER NOT NULL REFERENCES sweep (id),
  position INTEGER NOT NULL,
  pass     TEXT NOT NULL CHECK (pass IN ('timing', 'memory', 'profile')),
  PRIMARY KEY (sweep, position)
) STRICT, WITHOUT ROWID;

-- The parameters that it declares as axes, even with one value. Where an older sweep has no rows,
-- its axes are the parameters in which its trials differ.
CREATE TABLE sweep_axis (
  sweep    INTEGER NOT NULL REFERENCES sweep (id),
  position INTEGER NOT NULL,
  name     TEXT NOT NULL,                        -- of the parameter
  PRIMARY KEY (sweep, position)
) STRICT, WITHOUT ROWID;

-- The tables and plots that it declares (TableSpec and PlotSpec in runner/model/sweep/sweep.h).
CREATE TABLE sweep_declaration (
  sweep    INTEGER NOT NULL REFERENCES sweep (id),
  kind     TEXT NOT NULL CHECK (kind IN ('table', 'plot')),
  position INTEGER NOT NULL,
  json     TEXT NOT NULL,                        -- an object; members at their default may be missing
  PRIMARY KEY (sweep, kind, position)
) STRICT, WITHOUT ROWID;

-- The command that runs once when the sweep has ended.
CREATE TABLE notification (
  sweep    INTEGER PRIMARY KEY REFERENCES sweep (id),
  command  TEXT NOT NULL,
  begun_ns INTEGER,                              -- set before it starts; NULL: not yet
  ended_ns INTEGER,
  problem  TEXT NOT NULL DEFAULT ''              -- why it failed; '': it did not
) STRICT;
CREATE INDEX notification_due ON notification (sweep) WHERE begun_ns IS NULL;

-- How many trials and attempts it has, kept by the triggers at the end of this file: counting a
-- million rows takes most of a second.
CREATE TABLE sweep_count (
  sweep INTEGER NOT NULL REFERENCES sweep (id),
  what  TEXT NOT NULL,                           -- 'trials', 'queued', 'running' or an outcome
  n     INTEGER NOT NULL,
  PRIMARY KEY (sweep, what)
) STRICT, WITHOUT ROWID;

-- A program that sweep files declare, a workload with its own parameters and metrics.
CREATE TABLE program (
  name TEXT NOT NULL PRIMARY KEY,
  json TEXT NOT NULL                             -- its declaration (db/base/program_tables.cpp)
) STRICT, WITHOUT ROWID;

-- ---- Trials. Their parameters are in params_<workload>, made from the catalog.

CREATE TABLE trial (
  id       INTEGER PRIMARY KEY,
  key      TEXT NOT NULL UNIQUE,                 -- hash of workload, version and parameters
  workload TEXT NOT NULL,
  version  INTEGER NOT NULL,                     -- of the workload
  base_key TEXT                                  -- its key without the content of its program
) STRICT;
CREATE INDEX trial_by_base_key ON trial (base_key) WHERE base_key IS NOT NULL;

-- The key's columns come first: otherwise integrity_check of SQLite 3.40 reports false NULLs.
CREATE TABLE sweep_trial (
  sweep          INTEGER NOT NULL REFERENCES sweep (id),
  trial          INTEGER NOT NULL REFERENCES trial (id),
  pool           TEXT NOT NULL DEFAULT 'local',
  position       INTEGER NOT NULL,
  priority       INTEGER NOT NULL,
  timeout_ns     INTEGER NOT NULL,
  repeats        INTEGER NOT NULL,
  -- The content of the program at submission, where a result of other content is reused.
  submitted_code TEXT,
  PRIMARY KEY (sweep, trial, pool)
) STRICT, WITHOUT ROWID;

-- ---- Attempts

-- A row from submission on: queued has neither started_ns nor outcome, running has started_ns,
-- ended has outcome.
CREATE TABLE attempt (
  row             INTEGER PRIMARY KEY,
  uid             TEXT NOT NULL UNIQUE,
  trial           INTEGER NOT NULL REFERENCES trial (id),
  pass            TEXT NOT NULL CHECK (pass IN ('timing', 'memory', 'profile')),
  repeat          INTEGER NOT NULL,              -- from 0
  host            INTEGER NOT NULL REFERENCES host (id),  -- in whose queue it waits, where it ran
  -- Whether it counts for its (trial, pass, repeat, host): the newest done one, else the newest.
  -- Stored because finding it takes a sort of all attempts.
  is_current      INTEGER NOT NULL CHECK (is_current IN (0, 1)),
  outcome         TEXT CHECK (outcome IN ('done', 'oom', 'timeout', 'crashed', 'failed',
                                          'cancelled', 'skipped')),
  verdict         TEXT CHECK (verdict IN ('valid', 'suspect', 'invalid')),
  position        INTEGER NOT NULL,              -- in the queue
  priority        INTEGER NOT NULL,
  timeout_ns      INTEGER NOT NULL,
  started_ns      INTEGER,
  ended_ns        INTEGER,
  environment     INTEGER REFERENCES environment (id),
  -- The detail of its ending (runner/model/vocabulary/outcome.h).
  stop_reason     TEXT,
  signal          INTEGER,
  exit_code       INTEGER,
  rank            INTEGER,
  phase           TEXT,
  message         TEXT,
  requested_bytes INTEGER,
  in_use_bytes    INTEGER,
  limit_bytes     INTEGER,
  limit_ns        INTEGER,
  given_ns        INTEGER,                       -- when a pool got it that starts it later
  -- 1: queued by `retry --insist`; earlier deaths of its workers count no more.
  insisted        INTEGER NOT NULL DEFAULT 0 CHECK (insisted IN (0, 1)),
  CHECK ((outcome IS NULL) = (ended_ns IS NULL))
) STRICT;
CREATE INDEX attempt_by_trial ON attempt (trial, pass, repeat);
CREATE UNIQUE INDEX attempt_current ON attempt (trial, pass, repeat, host) WHERE is_current = 1;
CREATE INDEX attempt_open ON attempt (trial, pass, repeat) WHERE outcome IS NULL;

-- The attempt that answers for a (trial, pass, repeat) of a sweep. A retry replaces the row.
CREATE TABLE sweep_attempt (
  sweep   INTEGER NOT NULL REFERENCES sweep (id),
  attempt INTEGER NOT NULL REFERENCES attempt (row),
  origin  TEXT NOT NULL CHECK (origin IN ('queued', 'reused', 'joined')),
  PRIMARY KEY (sweep, attempt)
) STRICT, WITHOUT ROWID;
CREATE INDEX sweep_attempt_by_attempt ON sweep_attempt (attempt);

-- Why its verdict is not `valid`.
CREATE TABLE attempt_reason (
  attempt  INTEGER NOT NULL REFERENCES attempt (row),
  position INTEGER NOT NULL,
  reason   TEXT NOT NULL,
  PRIMARY KEY (attempt, position)
) STRICT, WITHOUT ROWID;

-- Why it was queued again: its pool took it away each time, and it is not at fault.
CREATE TABLE attempt_loss (
  attempt  INTEGER NOT NULL REFERENCES attempt (row),
  position INTEGER NOT NULL,
  lost_ns  INTEGER NOT NULL,
  reason   TEXT NOT NULL,
  PRIMARY KEY (attempt, position)
) STRICT, WITHOUT ROWID;

-- The resources of a rank.
CREATE TABLE lease (
  attempt   INTEGER NOT NULL REFERENCES attempt (row),
  rank      INTEGER NOT NULL,
  cores     TEXT NOT NULL,                       -- '0-3,8'
  gpu_uuid  TEXT NOT NULL,
  gpu_index INTEGER NOT NULL,                    -- -1 on a CPU
  PRIMARY KEY (attempt, rank)
) STRICT, WITHOUT ROWID;

-- The device on which a rank ran.
CREATE TABLE attempt_device (
  attempt           INTEGER NOT NULL REFERENCES attempt (row),
  rank              INTEGER NOT NULL,
  device            INTEGER NOT NULL REFERENCES device (id),
  device_index      INTEGER NOT NULL,
  driver            TEXT NOT NULL,
  power_limit_watts REAL,
  ecc               INTEGER CHECK (ecc IN (0, 1)),
  cache_bytes       INTEGER NOT NULL DEFAULT 0,  -- of its L2 cache; 0: unknown
  multiprocessors   INTEGER,
  PRIMARY KEY (attempt, rank)
) STRICT, WITHOUT ROWID;

CREATE TABLE device_state (
  attempt              INTEGER NOT NULL REFERENCES attempt (row),
  rank                 INTEGER NOT NULL,
  moment               TEXT NOT NULL,            -- 'before' the measured steps, 'after' them
  sm_clock_mhz         INTEGER,
  memory_clock_mhz     INTEGER,
  temperature_celsius  REAL,
  power_watts          REAL,
  throttle_reasons     TEXT NOT NULL,            -- by NVML's names
  other_processes      INTEGER NOT NULL,         -- on the device
  load_average         REAL NOT NULL,            -- of the host, 1 minute
  -- Means over the measurement, in cores of the lease; NULL at 'before'. The last two are counts over
  -- the measurement, of the control group's CPU quota; NULL also without a quota and in old results.
  cores_lost_to_others REAL,                     -- used by other processes
  cores_stolen         REAL,                     -- used by other guests of the hypervisor
  quota_periods        INTEGER,                  -- of the quota
  throttled_periods    INTEGER,                  -- those in which the quota was used up
  PRIMARY KEY (attempt, rank, moment)
) STRICT, WITHOUT ROWID;

-- ---- Rates and noise of machines

-- The largest rates measured on a device: by `matmul` and `memcpy`, and by any valid attempt
-- (`seen_`). 0: not measured.
CREATE TABLE device_peak (
  device           INTEGER NOT NULL REFERENCES device (id),
  arithmetic       TEXT NOT NULL,
  flops_per_s      REAL NOT NULL,
  flops_attempt    INTEGER REFERENCES attempt (row),
  bytes_per_s      REAL NOT NULL,
  bytes_attempt    INTEGER REFERENCES attempt (row),
  seen_flops_per_s REAL NOT NULL DEFAULT 0,
  seen_bytes_per_s REAL NOT NULL DEFAULT 0,
  PRIMARY KEY (device, arithmetic)
) STRICT, WITHOUT ROWID;

-- How much equal runs of a trial differ on a host (`sweepctl noise`): the newest measurement.
CREATE TABLE noise (
  host              INTEGER NOT NULL REFERENCES host (id),
  device            INTEGER NOT NULL DEFAULT 0,  -- of rank 0; 0: unknown
  trial             INTEGER NOT NULL REFERENCES trial (id),
  attempt           INTEGER NOT NULL,            -- one of those measured
  measured_ns       INTEGER NOT NULL,
  processes         INTEGER NOT NULL,
  spread            REAL NOT NULL,               -- standard deviation of the logs of the medians
  a_side            INTEGER NOT NULL,            -- processes on each side of a pair
  pairs             INTEGER NOT NULL,
  median_difference REAL NOT NULL,               -- a share, like the next
  p95_difference    REAL NOT NULL,
  false_alarms      INTEGER NOT NULL,            -- pairs
  found             INTEGER NOT NULL,            -- pairs
  slowdown          REAL NOT NULL,               -- a share
  enough            INTEGER NOT NULL,            -- 1: so many on each side find the slowdown
  PRIMARY KEY (host, device, trial)
) STRICT, WITHOUT ROWID;

-- ---- Results. Most columns are described in runner/model (Sample, PhaseMemory, KernelStats ...).

-- The work of a step, by formula.
CREATE TABLE work (
  attempt    INTEGER PRIMARY KEY REFERENCES attempt (row),
  arithmetic TEXT NOT NULL,
  tokens     REAL NOT NULL
) STRICT;

CREATE TABLE phase_work (
  attempt          INTEGER NOT NULL REFERENCES attempt (row),
  phase            INTEGER NOT NULL REFERENCES name (id),
  flops            REAL NOT NULL,                -- of the hardware, recomputation included
  bytes            REAL NOT NULL,
  recomputed_flops REAL NOT NULL DEFAULT 0,      -- of these, those that repeat an earlier result
  PRIMARY KEY (attempt, phase)
) STRICT, WITHOUT ROWID;

-- A number known without measuring. `position` is the workload's order, here and in `fact`.
CREATE TABLE figure (
  trial    INTEGER NOT NULL REFERENCES trial (id),
  name     INTEGER NOT NULL REFERENCES name (id),
  value    REAL,
  formula  INTEGER NOT NULL REFERENCES name (id),
  position INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (trial, name)
) STRICT, WITHOUT ROWID;

-- A value that is not a number (a loss that overflowed) is NULL here and in `summary`: SQLite has
-- no NaN.
CREATE TABLE sample (
  attempt INTEGER NOT NULL REFERENCES attempt (row),
  metric  INTEGER NOT NULL REFERENCES name (id),
  phase   INTEGER NOT NULL REFERENCES name (id),
  rank    INTEGER NOT NULL,
  step    INTEGER NOT NULL,                      -- from 0, warm-up included
  warmup  INTEGER NOT NULL CHECK (warmup IN (0, 1)),
  value   REAL,
  PRIMARY KEY (attempt, metric, phase, rank, step)
) STRICT, WITHOUT ROWID;

-- Over the measured steps of an attempt.
CREATE TABLE summary (
  attempt     INTEGER NOT NULL REFERENCES attempt (row),
  metric      INTEGER NOT NULL REFERENCES name (id),
  phase       INTEGER NOT NULL REFERENCES name (id),
  n           INTEGER NOT NULL,
  mean        REAL,
  std         REAL,                              -- of a sample (n - 1)
  min         REAL,
  p05         REAL,
  median      REAL,
  p95         REAL,
  max         REAL,
  mad         REAL,                              -- unscaled
  steady_from INTEGER,                           -- the step from which on the level stays
  steadiness  TEXT,                              -- 'steady', 'no steady state', 'slowing' ...
  PRIMARY KEY (attempt, metric, phase)
) STRICT, WITHOUT ROWID;
-- One metric of one phase over all attempts, without reading the table.
CREATE INDEX summary_by_metric ON summary (metric, phase, attempt, n, mean, std, min, p05, median,
                                           p95, max, mad, steadiness);

-- NULL: a size that is not known.
CREATE TABLE memory (
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

-- A tensor that outlives a step.
CREATE TABLE memory_held (
  attempt    INTEGER NOT NULL REFERENCES attempt (row),
  rank       INTEGER NOT NULL,
  kind       TEXT NOT NULL,
  name       INTEGER NOT NULL REFERENCES name (id),
  size_bytes INTEGER NOT NULL,
  PRIMARY KEY (attempt, rank, kind, name)
) STRICT, WITHOUT ROWID;

-- A point of the allocator's timeline; `allocation` pairs each block with its release.
CREATE TABLE memory_event (
  attempt         INTEGER NOT NULL REFERENCES attempt (row),
  rank            INTEGER NOT NULL,
  sequence        INTEGER NOT NULL,
  time_ns         INTEGER NOT NULL,              -- since the step's start
  action          TEXT NOT NULL,
  address         INTEGER NOT NULL,
  size_bytes      INTEGER NOT NULL,
  allocated_bytes INTEGER NOT NULL,              -- after it, like the next
  reserved_bytes  INTEGER NOT NULL,
  phase           INTEGER NOT NULL REFERENCES name (id),
  PRIMARY KEY (attempt, rank, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE allocation (
  attempt      INTEGER NOT NULL REFERENCES attempt (row),
  rank         INTEGER NOT NULL,
  sequence     INTEGER NOT NULL,
  size_bytes   INTEGER NOT NULL,
  allocated_ns INTEGER NOT NULL,                 -- since the step's start
  freed_ns     INTEGER,                          -- NULL: not in the step
  phase        INTEGER NOT NULL REFERENCES name (id),
  range        INTEGER NOT NULL REFERENCES name (id),
  origin       INTEGER NOT NULL REFERENCES name (id),  -- the tensor, else the operator
  PRIMARY KEY (attempt, rank, sequence)
) STRICT, WITHOUT ROWID;

-- A kernel of one step, by its launch shape. On a CPU an operator with its self time.
CREATE TABLE kernel (
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
  mean_ns    REAL NOT NULL,                      -- of one call, like the next four
  median_ns  REAL NOT NULL,
  min_ns     REAL NOT NULL,
  max_ns     REAL NOT NULL,
  std_ns     REAL NOT NULL,
  PRIMARY KEY (attempt, rank, phase, range, kernel, grid_x, grid_y, grid_z, block_x, block_y,
               block_z)
) STRICT, WITHOUT ROWID;

-- An operator of one step; `total_` includes the operators that it called.
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

-- A named result of a rank that is not a sample: a number, or else a text.
CREATE TABLE fact (
  attempt  INTEGER NOT NULL REFERENCES attempt (row),
  rank     INTEGER NOT NULL,
  name     INTEGER NOT NULL REFERENCES name (id),
  number   REAL,
  text     TEXT NOT NULL,
  position INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (attempt, rank, name)
) STRICT, WITHOUT ROWID;

-- ---- Published figures (runner/model/sweep/reference.h), apart from trials and attempts, so that no
-- ---- query of measured results finds them by accident.

CREATE TABLE reference (
  id          INTEGER PRIMARY KEY,
  name        TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL,
  added_ns    INTEGER NOT NULL
) STRICT;

CREATE TABLE reference_row (
  id         INTEGER PRIMARY KEY,
  reference  INTEGER NOT NULL REFERENCES reference (id),
  line       INTEGER NOT NULL,                   -- of its file
  source     TEXT NOT NULL,
  experiment TEXT NOT NULL,
  device     TEXT NOT NULL,                      -- as stated
  workload   TEXT NOT NULL,                      -- '': no table shows it
  phase      TEXT NOT NULL,
  metric     TEXT NOT NULL,
  unit       TEXT NOT NULL,
  outcome    TEXT NOT NULL,
  value      REAL,
  std        REAL,
  n          INTEGER NOT NULL,
  invalid    INTEGER NOT NULL CHECK (invalid IN (0, 1))  -- 1: it cannot be true
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
  row       INTEGER NOT NULL REFERENCES reference_row (id),
  position  INTEGER NOT NULL,
  text      TEXT NOT NULL,
  is_remark INTEGER NOT NULL DEFAULT 0 CHECK (is_remark IN (0, 1)),  -- 1: nothing is wrong
  PRIMARY KEY (row, position)
) STRICT, WITHOUT ROWID;

-- ---- The triggers that keep sweep_count

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
