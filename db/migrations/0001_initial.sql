-- Version 1. docs/DATABASE.md describes every table; the comments here are for who changes it.
-- Times of day: ns since 1970 UTC. Durations: ns, but measured times (`sample`, `summary`): ms.

-- Texts that repeat in every sample (phase, metric, fact and figure names, kernels), once each.
CREATE TABLE name (
  id   INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE host (
  id           INTEGER PRIMARY KEY,
  uid          TEXT NOT NULL UNIQUE,
  hostname     TEXT NOT NULL,
  cpu_model    TEXT NOT NULL,
  cores        INTEGER NOT NULL,
  sockets      INTEGER NOT NULL,
  memory_bytes INTEGER NOT NULL
) STRICT;

CREATE TABLE device (
  id                 INTEGER PRIMARY KEY,
  host               INTEGER NOT NULL REFERENCES host (id),
  kind               TEXT NOT NULL,
  uuid               TEXT NOT NULL,
  name               TEXT NOT NULL,
  memory_bytes       INTEGER NOT NULL,
  compute_capability TEXT NOT NULL,
  UNIQUE (host, kind, uuid, name)
) STRICT;

-- Equal environments are one row: uid is the hash of every other column.
CREATE TABLE environment (
  id            INTEGER PRIMARY KEY,
  uid           TEXT NOT NULL UNIQUE,
  host          INTEGER NOT NULL REFERENCES host (id),
  kernel        TEXT NOT NULL,
  os            TEXT NOT NULL,
  governor      TEXT NOT NULL,
  torch_version TEXT NOT NULL,
  cuda_version  TEXT NOT NULL,
  cudnn_version TEXT NOT NULL,
  nccl_version  TEXT NOT NULL,
  build_commit  TEXT NOT NULL,
  cpu_math      TEXT NOT NULL,
  threads       INTEGER NOT NULL,
  tf32_matmul   INTEGER CHECK (tf32_matmul IN (0, 1)),
  tf32_cudnn    INTEGER CHECK (tf32_cudnn IN (0, 1)),
  cores         TEXT NOT NULL
) STRICT;

CREATE TABLE sweep (
  id           INTEGER PRIMARY KEY,
  uid          TEXT NOT NULL UNIQUE,
  name         TEXT NOT NULL,
  description  TEXT NOT NULL,
  workload     TEXT NOT NULL,
  trial_order  TEXT NOT NULL CHECK (trial_order IN ('interleaved', 'sequential', 'shuffled')),
  submitted_ns INTEGER NOT NULL,
  cancelled_ns INTEGER,
  source       TEXT NOT NULL
) STRICT;
CREATE INDEX sweep_by_name ON sweep (name);

CREATE TABLE sweep_pass (
  sweep    INTEGER NOT NULL REFERENCES sweep (id),
  position INTEGER NOT NULL,
  pass     TEXT NOT NULL CHECK (pass IN ('timing', 'memory', 'profile')),
  PRIMARY KEY (sweep, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE sweep_table (
  sweep    INTEGER NOT NULL REFERENCES sweep (id),
  position INTEGER NOT NULL,
  title    TEXT NOT NULL,
  cell     TEXT NOT NULL,
  metric   TEXT NOT NULL,
  unit     TEXT NOT NULL,
  warmup   INTEGER NOT NULL CHECK (warmup IN (0, 1)),
  PRIMARY KEY (sweep, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE sweep_table_dimension (
  sweep          INTEGER NOT NULL,
  table_position INTEGER NOT NULL,
  side           TEXT NOT NULL CHECK (side IN ('row', 'column')),
  position       INTEGER NOT NULL,
  name           TEXT NOT NULL,
  PRIMARY KEY (sweep, table_position, side, position),
  FOREIGN KEY (sweep, table_position) REFERENCES sweep_table (sweep, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE sweep_table_filter (
  sweep          INTEGER NOT NULL,
  table_position INTEGER NOT NULL,
  position       INTEGER NOT NULL,
  value_position INTEGER NOT NULL,
  name           TEXT NOT NULL,
  value          TEXT NOT NULL,
  PRIMARY KEY (sweep, table_position, position, value_position),
  FOREIGN KEY (sweep, table_position) REFERENCES sweep_table (sweep, position)
) STRICT, WITHOUT ROWID;

-- Its parameters stand in params_<workload>, which the program makes from the catalog.
CREATE TABLE trial (
  id       INTEGER PRIMARY KEY,
  key      TEXT NOT NULL UNIQUE,
  workload TEXT NOT NULL,
  version  INTEGER NOT NULL
) STRICT;

CREATE TABLE sweep_trial (
  sweep      INTEGER NOT NULL REFERENCES sweep (id),
  trial      INTEGER NOT NULL REFERENCES trial (id),
  position   INTEGER NOT NULL,
  priority   INTEGER NOT NULL,
  timeout_ns INTEGER NOT NULL,
  repeats    INTEGER NOT NULL,
  PRIMARY KEY (sweep, trial)
) STRICT, WITHOUT ROWID;

-- A row from the moment of submission: queued has neither started_ns nor outcome, running has
-- started_ns, ended has outcome. `host` is where it ran; until it starts, whose queue it is in.
-- is_current marks the one that counts of each (trial, pass, repeat, host): the newest done one,
-- else the newest. It is kept here because finding it again costs a sort of all attempts.
CREATE TABLE attempt (
  row             INTEGER PRIMARY KEY,
  uid             TEXT NOT NULL UNIQUE,
  trial           INTEGER NOT NULL REFERENCES trial (id),
  pass            TEXT NOT NULL CHECK (pass IN ('timing', 'memory', 'profile')),
  repeat          INTEGER NOT NULL,
  host            INTEGER NOT NULL REFERENCES host (id),
  is_current      INTEGER NOT NULL CHECK (is_current IN (0, 1)),
  outcome         TEXT CHECK (outcome IN ('done', 'oom', 'timeout', 'crashed', 'failed',
                                          'cancelled', 'skipped')),
  verdict         TEXT CHECK (verdict IN ('valid', 'suspect', 'invalid')),
  position        INTEGER NOT NULL,
  priority        INTEGER NOT NULL,
  timeout_ns      INTEGER NOT NULL,
  started_ns      INTEGER,
  ended_ns        INTEGER,
  environment     INTEGER REFERENCES environment (id),
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
  CHECK ((outcome IS NULL) = (ended_ns IS NULL))
) STRICT;
CREATE INDEX attempt_by_trial ON attempt (trial, pass, repeat);
CREATE UNIQUE INDEX attempt_current ON attempt (trial, pass, repeat, host) WHERE is_current = 1;
CREATE INDEX attempt_open ON attempt (trial, pass, repeat) WHERE outcome IS NULL;

-- Which attempt answers for a (trial, pass, repeat) of a sweep, and how the sweep came by it. A
-- retry replaces the row.
CREATE TABLE sweep_attempt (
  sweep   INTEGER NOT NULL REFERENCES sweep (id),
  attempt INTEGER NOT NULL REFERENCES attempt (row),
  origin  TEXT NOT NULL CHECK (origin IN ('queued', 'reused', 'joined')),
  PRIMARY KEY (sweep, attempt)
) STRICT, WITHOUT ROWID;
CREATE INDEX sweep_attempt_by_attempt ON sweep_attempt (attempt);

CREATE TABLE attempt_reason (
  attempt  INTEGER NOT NULL REFERENCES attempt (row),
  position INTEGER NOT NULL,
  reason   TEXT NOT NULL,
  PRIMARY KEY (attempt, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE lease (
  attempt   INTEGER NOT NULL REFERENCES attempt (row),
  rank      INTEGER NOT NULL,
  cores     TEXT NOT NULL,
  gpu_uuid  TEXT NOT NULL,
  gpu_index INTEGER NOT NULL,
  PRIMARY KEY (attempt, rank)
) STRICT, WITHOUT ROWID;

CREATE TABLE attempt_device (
  attempt           INTEGER NOT NULL REFERENCES attempt (row),
  rank              INTEGER NOT NULL,
  device            INTEGER NOT NULL REFERENCES device (id),
  device_index      INTEGER NOT NULL,
  driver            TEXT NOT NULL,
  power_limit_watts REAL,
  ecc               INTEGER CHECK (ecc IN (0, 1)),
  PRIMARY KEY (attempt, rank)
) STRICT, WITHOUT ROWID;

CREATE TABLE device_state (
  attempt             INTEGER NOT NULL REFERENCES attempt (row),
  rank                INTEGER NOT NULL,
  moment              TEXT NOT NULL,
  sm_clock_mhz        INTEGER,
  memory_clock_mhz    INTEGER,
  temperature_celsius REAL,
  power_watts         REAL,
  throttle_reasons    TEXT NOT NULL,
  other_processes     INTEGER NOT NULL,
  load_average        REAL NOT NULL,
  PRIMARY KEY (attempt, rank, moment)
) STRICT, WITHOUT ROWID;

-- Largest rate ever measured; each with the attempt that showed it.
CREATE TABLE device_peak (
  device        INTEGER NOT NULL REFERENCES device (id),
  arithmetic    TEXT NOT NULL,
  flops_per_s   REAL NOT NULL,
  flops_attempt INTEGER REFERENCES attempt (row),
  bytes_per_s   REAL NOT NULL,
  bytes_attempt INTEGER REFERENCES attempt (row),
  PRIMARY KEY (device, arithmetic)
) STRICT, WITHOUT ROWID;

CREATE TABLE work (
  attempt    INTEGER PRIMARY KEY REFERENCES attempt (row),
  arithmetic TEXT NOT NULL,
  tokens     REAL NOT NULL
) STRICT;

CREATE TABLE phase_work (
  attempt INTEGER NOT NULL REFERENCES attempt (row),
  phase   INTEGER NOT NULL REFERENCES name (id),
  flops   REAL NOT NULL,
  bytes   REAL NOT NULL,
  PRIMARY KEY (attempt, phase)
) STRICT, WITHOUT ROWID;

CREATE TABLE figure (
  trial   INTEGER NOT NULL REFERENCES trial (id),
  name    INTEGER NOT NULL REFERENCES name (id),
  value   REAL,
  formula INTEGER NOT NULL REFERENCES name (id),
  PRIMARY KEY (trial, name)
) STRICT, WITHOUT ROWID;

-- A value that is not a number (a loss that overflowed) is NULL here and in `summary`: SQLite has
-- no NaN.
CREATE TABLE sample (
  attempt INTEGER NOT NULL REFERENCES attempt (row),
  metric  INTEGER NOT NULL REFERENCES name (id),
  phase   INTEGER NOT NULL REFERENCES name (id),
  rank    INTEGER NOT NULL,
  step    INTEGER NOT NULL,
  warmup  INTEGER NOT NULL CHECK (warmup IN (0, 1)),
  value   REAL,
  PRIMARY KEY (attempt, metric, phase, rank, step)
) STRICT, WITHOUT ROWID;

CREATE TABLE summary (
  attempt INTEGER NOT NULL REFERENCES attempt (row),
  metric  INTEGER NOT NULL REFERENCES name (id),
  phase   INTEGER NOT NULL REFERENCES name (id),
  n       INTEGER NOT NULL,
  mean    REAL,
  std     REAL,
  min     REAL,
  p05     REAL,
  median  REAL,
  p95     REAL,
  max     REAL,
  mad     REAL,
  PRIMARY KEY (attempt, metric, phase)
) STRICT, WITHOUT ROWID;

CREATE TABLE memory (
  attempt              INTEGER NOT NULL REFERENCES attempt (row),
  rank                 INTEGER NOT NULL,
  phase                INTEGER NOT NULL REFERENCES name (id),
  at_start_bytes       INTEGER NOT NULL,
  at_end_bytes         INTEGER NOT NULL,
  peak_allocated_bytes INTEGER NOT NULL,
  peak_reserved_bytes  INTEGER NOT NULL,
  device_in_use_bytes  INTEGER NOT NULL,
  PRIMARY KEY (attempt, rank, phase)
) STRICT, WITHOUT ROWID;

-- The allocator's own record, in order; `allocation` pairs each block with its release.
CREATE TABLE memory_event (
  attempt         INTEGER NOT NULL REFERENCES attempt (row),
  rank            INTEGER NOT NULL,
  sequence        INTEGER NOT NULL,
  time_ns         INTEGER NOT NULL,
  action          TEXT NOT NULL,
  address         INTEGER NOT NULL,
  size_bytes      INTEGER NOT NULL,
  allocated_bytes INTEGER NOT NULL,
  reserved_bytes  INTEGER NOT NULL,
  phase           INTEGER NOT NULL REFERENCES name (id),
  PRIMARY KEY (attempt, rank, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE allocation (
  attempt      INTEGER NOT NULL REFERENCES attempt (row),
  rank         INTEGER NOT NULL,
  sequence     INTEGER NOT NULL,
  size_bytes   INTEGER NOT NULL,
  allocated_ns INTEGER NOT NULL,
  freed_ns     INTEGER,
  phase        INTEGER NOT NULL REFERENCES name (id),
  range        INTEGER NOT NULL REFERENCES name (id),
  origin       INTEGER NOT NULL REFERENCES name (id),
  PRIMARY KEY (attempt, rank, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE kernel (
  attempt   INTEGER NOT NULL REFERENCES attempt (row),
  rank      INTEGER NOT NULL,
  phase     INTEGER NOT NULL REFERENCES name (id),
  range     INTEGER NOT NULL REFERENCES name (id),
  kernel    INTEGER NOT NULL REFERENCES name (id),
  grid_x    INTEGER NOT NULL,
  grid_y    INTEGER NOT NULL,
  grid_z    INTEGER NOT NULL,
  block_x   INTEGER NOT NULL,
  block_y   INTEGER NOT NULL,
  block_z   INTEGER NOT NULL,
  calls     INTEGER NOT NULL,
  total_ns  REAL NOT NULL,
  mean_ns   REAL NOT NULL,
  median_ns REAL NOT NULL,
  min_ns    REAL NOT NULL,
  max_ns    REAL NOT NULL,
  std_ns    REAL NOT NULL,
  PRIMARY KEY (attempt, rank, phase, range, kernel, grid_x, grid_y, grid_z, block_x, block_y,
               block_z)
) STRICT, WITHOUT ROWID;

CREATE TABLE fact (
  attempt INTEGER NOT NULL REFERENCES attempt (row),
  rank    INTEGER NOT NULL,
  name    INTEGER NOT NULL REFERENCES name (id),
  number  REAL,
  text    TEXT NOT NULL,
  PRIMARY KEY (attempt, rank, name)
) STRICT, WITHOUT ROWID;
