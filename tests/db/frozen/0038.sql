-- Version 38, as dumped from the test fixture (docs/DATABASE.md, "Add a migration"). Never edit.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE name (
  id   INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO name VALUES(1,'forward');
INSERT INTO name VALUES(2,'backward');
INSERT INTO name VALUES(3,'step');
INSERT INTO name VALUES(4,'parameters');
INSERT INTO name VALUES(5,'V*d');
INSERT INTO name VALUES(6,'time');
INSERT INTO name VALUES(7,'logits.dtype');
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
INSERT INTO host VALUES(1,'id-of-alpha','alpha','Test CPU',4,0,0,0,'local');
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
INSERT INTO device VALUES(1,1,'cpu','id-of-alpha','Test CPU',0,'',NULL,NULL,NULL);
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
INSERT INTO environment VALUES(1,'a3066f01365b6b60309e9cc65594f3c1',1,'','','','2.11.0','','','','','',0,NULL,NULL,'','','','','');
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
INSERT INTO sweep VALUES(1,'f00df00df00df00d','frozen','','toy','interleaved',1000000000,NULL,replace('sweep: frozen\n','\n',char(10)),NULL,NULL,1,NULL);
CREATE TABLE sweep_pass (
  sweep    INTEGER NOT NULL REFERENCES sweep (id),
  position INTEGER NOT NULL,
  pass     TEXT NOT NULL CHECK (pass IN ('timing', 'memory', 'profile')),
  PRIMARY KEY (sweep, position)
) STRICT, WITHOUT ROWID;
INSERT INTO sweep_pass VALUES(1,0,'timing');
CREATE TABLE sweep_axis (
  sweep    INTEGER NOT NULL REFERENCES sweep (id),
  position INTEGER NOT NULL,
  name     TEXT NOT NULL,                        -- of the parameter
  PRIMARY KEY (sweep, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE sweep_declaration (
  sweep    INTEGER NOT NULL REFERENCES sweep (id),
  kind     TEXT NOT NULL CHECK (kind IN ('table', 'plot')),
  position INTEGER NOT NULL,
  json     TEXT NOT NULL,                        -- an object; members at their default may be missing
  PRIMARY KEY (sweep, kind, position)
) STRICT, WITHOUT ROWID;
INSERT INTO sweep_declaration VALUES(1,'table',0,'{"rows":["context"],"where":[{"name":"phase","values":["forward","step"]}]}');
CREATE TABLE notification (
  sweep    INTEGER PRIMARY KEY REFERENCES sweep (id),
  command  TEXT NOT NULL,
  begun_ns INTEGER,                              -- set before it starts; NULL: not yet
  ended_ns INTEGER,
  problem  TEXT NOT NULL DEFAULT ''              -- why it failed; '': it did not
) STRICT;
CREATE TABLE sweep_count (
  sweep INTEGER NOT NULL REFERENCES sweep (id),
  what  TEXT NOT NULL,                           -- 'trials', 'queued', 'running' or an outcome
  n     INTEGER NOT NULL,
  PRIMARY KEY (sweep, what)
) STRICT, WITHOUT ROWID;
INSERT INTO sweep_count VALUES(1,'done',1);
INSERT INTO sweep_count VALUES(1,'oom',1);
INSERT INTO sweep_count VALUES(1,'queued',1);
INSERT INTO sweep_count VALUES(1,'running',0);
INSERT INTO sweep_count VALUES(1,'trials',3);
CREATE TABLE program (
  name TEXT NOT NULL PRIMARY KEY,
  json TEXT NOT NULL                             -- its declaration (db/base/program_tables.cpp)
) STRICT, WITHOUT ROWID;
CREATE TABLE trial (
  id       INTEGER PRIMARY KEY,
  key      TEXT NOT NULL UNIQUE,                 -- hash of workload, version and parameters
  workload TEXT NOT NULL,
  version  INTEGER NOT NULL,                     -- of the workload
  base_key TEXT                                  -- its key without the content of its program
) STRICT;
INSERT INTO trial VALUES(1,'bff9e9357e57e29564de2c02c5755641','toy',1,NULL);
INSERT INTO trial VALUES(2,'ea65cc164886cc3f3f0acfe3b5d66204','toy',1,NULL);
INSERT INTO trial VALUES(3,'8ea814ea228248cb56a3b25d0482c8d7','toy',1,NULL);
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
INSERT INTO sweep_trial VALUES(1,1,'local',0,0,1800000000000,1,NULL);
INSERT INTO sweep_trial VALUES(1,2,'local',1,0,1800000000000,1,NULL);
INSERT INTO sweep_trial VALUES(1,3,'local',2,0,1800000000000,1,NULL);
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
INSERT INTO attempt VALUES(1,'715dcb732cc51dad',1,'timing',0,1,1,'done','suspect',0,0,1800000000000,1,5000000000,1,'fixed_steps',NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO attempt VALUES(2,'7106feece1c5539e',2,'timing',0,1,1,'oom',NULL,1,0,1800000000000,NULL,5000000000,NULL,NULL,NULL,NULL,0,'backward',NULL,1073741824,2147483648,4294967296,NULL,NULL,0);
INSERT INTO attempt VALUES(3,'71ba04881d2304a4',3,'timing',0,1,1,NULL,NULL,2,0,1800000000000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0);
CREATE TABLE sweep_attempt (
  sweep   INTEGER NOT NULL REFERENCES sweep (id),
  attempt INTEGER NOT NULL REFERENCES attempt (row),
  origin  TEXT NOT NULL CHECK (origin IN ('queued', 'reused', 'joined')),
  PRIMARY KEY (sweep, attempt)
) STRICT, WITHOUT ROWID;
INSERT INTO sweep_attempt VALUES(1,1,'queued');
INSERT INTO sweep_attempt VALUES(1,2,'queued');
INSERT INTO sweep_attempt VALUES(1,3,'queued');
CREATE TABLE attempt_reason (
  attempt  INTEGER NOT NULL REFERENCES attempt (row),
  position INTEGER NOT NULL,
  reason   TEXT NOT NULL,
  PRIMARY KEY (attempt, position)
) STRICT, WITHOUT ROWID;
INSERT INTO attempt_reason VALUES(1,0,'load 9.0 of 4 cores');
CREATE TABLE attempt_loss (
  attempt  INTEGER NOT NULL REFERENCES attempt (row),
  position INTEGER NOT NULL,
  lost_ns  INTEGER NOT NULL,
  reason   TEXT NOT NULL,
  PRIMARY KEY (attempt, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE lease (
  attempt   INTEGER NOT NULL REFERENCES attempt (row),
  rank      INTEGER NOT NULL,
  cores     TEXT NOT NULL,                       -- '0-3,8'
  gpu_uuid  TEXT NOT NULL,
  gpu_index INTEGER NOT NULL,                    -- -1 on a CPU
  PRIMARY KEY (attempt, rank)
) STRICT, WITHOUT ROWID;
INSERT INTO lease VALUES(1,0,'0-1','',-1);
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
INSERT INTO attempt_device VALUES(1,0,1,0,'',NULL,NULL,0,NULL);
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
INSERT INTO device_state VALUES(1,0,'',NULL,NULL,NULL,NULL,'',0,0.0,NULL,NULL,NULL,NULL);
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
INSERT INTO device_peak VALUES(1,'fp32',50000000000.0,1,0.0,NULL,0.0,0.0);
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
CREATE TABLE work (
  attempt    INTEGER PRIMARY KEY REFERENCES attempt (row),
  arithmetic TEXT NOT NULL,
  tokens     REAL NOT NULL
) STRICT;
INSERT INTO work VALUES(1,'fp32',512.0);
CREATE TABLE phase_work (
  attempt          INTEGER NOT NULL REFERENCES attempt (row),
  phase            INTEGER NOT NULL REFERENCES name (id),
  flops            REAL NOT NULL,                -- of the hardware, recomputation included
  bytes            REAL NOT NULL,
  recomputed_flops REAL NOT NULL DEFAULT 0,      -- of these, those that repeat an earlier result
  PRIMARY KEY (attempt, phase)
) STRICT, WITHOUT ROWID;
INSERT INTO phase_work VALUES(1,1,1000000000.0,1000000.0,0.0);
INSERT INTO phase_work VALUES(1,2,2000000000.0,2000000.0,0.0);
INSERT INTO phase_work VALUES(1,3,3000000000.0,3000000.0,0.0);
CREATE TABLE figure (
  trial    INTEGER NOT NULL REFERENCES trial (id),
  name     INTEGER NOT NULL REFERENCES name (id),
  value    REAL,
  formula  INTEGER NOT NULL REFERENCES name (id),
  position INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (trial, name)
) STRICT, WITHOUT ROWID;
INSERT INTO figure VALUES(1,4,1998235200.0,5,0);
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
INSERT INTO sample VALUES(1,6,1,0,0,1,110.0);
INSERT INTO sample VALUES(1,6,1,0,1,0,10.0);
INSERT INTO sample VALUES(1,6,1,0,2,0,10.0);
INSERT INTO sample VALUES(1,6,2,0,0,1,120.0);
INSERT INTO sample VALUES(1,6,2,0,1,0,20.0);
INSERT INTO sample VALUES(1,6,2,0,2,0,20.0);
INSERT INTO sample VALUES(1,6,3,0,0,1,130.0);
INSERT INTO sample VALUES(1,6,3,0,1,0,30.0);
INSERT INTO sample VALUES(1,6,3,0,2,0,30.0);
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
INSERT INTO summary VALUES(1,6,1,2,10.0,0.0,10.0,10.0,10.0,10.0,10.0,0.0,NULL,NULL);
INSERT INTO summary VALUES(1,6,2,2,20.0,0.0,20.0,20.0,20.0,20.0,20.0,0.0,NULL,NULL);
INSERT INTO summary VALUES(1,6,3,2,30.0,0.0,30.0,30.0,30.0,30.0,30.0,0.0,NULL,NULL);
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
INSERT INTO memory VALUES(1,0,3,1048576,2097152,8388608,16777216,33554432);
CREATE TABLE memory_held (
  attempt    INTEGER NOT NULL REFERENCES attempt (row),
  rank       INTEGER NOT NULL,
  kind       TEXT NOT NULL,
  name       INTEGER NOT NULL REFERENCES name (id),
  size_bytes INTEGER NOT NULL,
  PRIMARY KEY (attempt, rank, kind, name)
) STRICT, WITHOUT ROWID;
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
  std_ns     REAL NOT NULL, registers INTEGER NOT NULL DEFAULT 0, shared_bytes INTEGER NOT NULL DEFAULT 0, occupancy REAL, waves REAL,
  PRIMARY KEY (attempt, rank, phase, range, kernel, grid_x, grid_y, grid_z, block_x, block_y,
               block_z)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE fact (
  attempt  INTEGER NOT NULL REFERENCES attempt (row),
  rank     INTEGER NOT NULL,
  name     INTEGER NOT NULL REFERENCES name (id),
  number   REAL,
  text     TEXT NOT NULL,
  position INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (attempt, rank, name)
) STRICT, WITHOUT ROWID;
INSERT INTO fact VALUES(1,0,7,NULL,'float32',0);
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
CREATE TABLE IF NOT EXISTS "params_toy" (trial INTEGER PRIMARY KEY REFERENCES trial (id), "model" TEXT NOT NULL DEFAULT 'small', "context" INTEGER NOT NULL DEFAULT 128, "scale" REAL NOT NULL DEFAULT 0.5, "tied" INTEGER NOT NULL DEFAULT 0, "device" TEXT NOT NULL DEFAULT 'auto', "world_size" INTEGER NOT NULL DEFAULT 1, "warmup" INTEGER NOT NULL DEFAULT 5, "steps" INTEGER NOT NULL DEFAULT 10, "min_time" INTEGER NOT NULL DEFAULT 0, "max_time" INTEGER NOT NULL DEFAULT 0, "relative_error" REAL NOT NULL DEFAULT 0, "slowdown" REAL NOT NULL DEFAULT 0, "launch" TEXT NOT NULL DEFAULT 'exposed', "threads" INTEGER NOT NULL DEFAULT 0, "seed" INTEGER NOT NULL DEFAULT 0, "memory_limit" INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO params_toy VALUES(1,'xl',128,0.5,0,'auto',1,5,10,0,0,0.0,0.0,'exposed',0,0,0);
INSERT INTO params_toy VALUES(2,'xl',256,0.5,0,'auto',1,5,10,0,0,0.0,0.0,'exposed',0,0,0);
INSERT INTO params_toy VALUES(3,'xl',512,0.5,0,'auto',1,5,10,0,0,0.0,0.0,'exposed',0,0,0);
CREATE INDEX sweep_by_name ON sweep (name);
CREATE INDEX sweep_by_watched ON sweep (sentinel_of) WHERE sentinel_of IS NOT NULL;
CREATE INDEX sweep_paused ON sweep (paused_ns) WHERE paused_ns IS NOT NULL;
CREATE INDEX notification_due ON notification (sweep) WHERE begun_ns IS NULL;
CREATE INDEX trial_by_base_key ON trial (base_key) WHERE base_key IS NOT NULL;
CREATE INDEX attempt_by_trial ON attempt (trial, pass, repeat);
CREATE UNIQUE INDEX attempt_current ON attempt (trial, pass, repeat, host) WHERE is_current = 1;
CREATE INDEX attempt_open ON attempt (trial, pass, repeat) WHERE outcome IS NULL;
CREATE INDEX sweep_attempt_by_attempt ON sweep_attempt (attempt);
CREATE INDEX summary_by_metric ON summary (metric, phase, attempt, n, mean, std, min, p05, median,
                                           p95, max, mad, steadiness);
CREATE INDEX reference_row_of ON reference_row (reference);
CREATE INDEX reference_row_by_workload ON reference_row (workload, metric);
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
CREATE VIEW attempts AS
SELECT a.row AS row, a.uid AS attempt_uid, t.key AS trial_key, t.workload AS workload,
       t.version AS version, a.pass AS pass, a.repeat AS repeat, a.is_current AS is_current,
       CASE WHEN a.outcome IS NOT NULL THEN 'ended' WHEN a.started_ns IS NOT NULL THEN 'running'
            ELSE 'queued' END AS state,
       a.outcome AS outcome, a.verdict AS verdict,
       strftime('%Y-%m-%dT%H:%M:%SZ', a.started_ns / 1000000000, 'unixepoch') AS started,
       strftime('%Y-%m-%dT%H:%M:%SZ', a.ended_ns / 1000000000, 'unixepoch') AS ended,
       (a.ended_ns - a.started_ns) / 1e9 AS duration_s,
       h.hostname AS host, d.name AS device_name, a.stop_reason AS stop_reason, a.rank AS rank,
       a.phase AS phase, a.message AS message, a.signal AS signal, a.exit_code AS exit_code,
       a.requested_bytes AS requested_bytes, a.in_use_bytes AS in_use_bytes,
       a.limit_bytes AS limit_bytes, a.limit_ns AS limit_ns, h.pool AS pool
FROM attempt a
JOIN trial t ON t.id = a.trial
JOIN host h ON h.id = a.host
LEFT JOIN attempt_device ad ON ad.attempt = a.row AND ad.rank = 0
LEFT JOIN device d ON d.id = ad.device;
CREATE VIEW trial_outcome AS
SELECT trial_key, workload, pass, repeat, host, device_name, state, outcome, verdict, message,
       attempt_uid
FROM attempts
WHERE is_current = 1;
CREATE VIEW sweep_trials AS
SELECT s.uid AS sweep_uid, s.name AS sweep, st.position AS position, t.key AS trial_key,
       t.workload AS workload, a.pass AS pass, a.repeat AS repeat, sa.origin AS origin,
       a.outcome AS outcome, a.verdict AS verdict, a.uid AS attempt_uid, st.pool AS pool
FROM sweep s
JOIN sweep_attempt sa ON sa.sweep = s.id
JOIN attempt a ON a.row = sa.attempt
JOIN trial t ON t.id = a.trial
JOIN host h ON h.id = a.host
JOIN sweep_trial st ON st.sweep = s.id AND st.trial = t.id AND st.pool = h.pool;
CREATE VIEW samples AS
SELECT a.uid AS attempt_uid,
       r.step AS step,
       r.warmup AS warmup,
       r.rank AS rank,
       r_phase.text AS phase,
       r_metric.text AS metric,
       r.value AS value
FROM sample r
JOIN attempt a ON a.row = r.attempt
JOIN name r_phase ON r_phase.id = r.phase
JOIN name r_metric ON r_metric.id = r.metric;
CREATE VIEW summaries AS
SELECT a.uid AS attempt_uid,
       r_metric.text AS metric,
       r_phase.text AS phase,
       r.n AS n,
       r.mean AS mean,
       r.std AS std,
       r.min AS min,
       r.p05 AS p05,
       r.median AS median,
       r.p95 AS p95,
       r.max AS max,
       r.mad AS mad,
       r.steady_from AS steady_from,
       r.steadiness AS steadiness
FROM summary r
JOIN attempt a ON a.row = r.attempt
JOIN name r_metric ON r_metric.id = r.metric
JOIN name r_phase ON r_phase.id = r.phase;
CREATE VIEW memories AS
SELECT a.uid AS attempt_uid,
       r.rank AS rank,
       r_phase.text AS phase,
       r.at_start_bytes AS at_start_bytes,
       r.peak_allocated_bytes AS peak_allocated_bytes,
       r.at_end_bytes AS at_end_bytes,
       r.peak_reserved_bytes AS peak_reserved_bytes,
       r.device_in_use_bytes AS device_in_use_bytes
FROM memory r
JOIN attempt a ON a.row = r.attempt
JOIN name r_phase ON r_phase.id = r.phase;
CREATE VIEW held_tensors AS
SELECT a.uid AS attempt_uid,
       r.rank AS rank,
       r.kind AS kind,
       r_name.text AS name,
       r.size_bytes AS size_bytes
FROM memory_held r
JOIN attempt a ON a.row = r.attempt
JOIN name r_name ON r_name.id = r.name;
CREATE VIEW allocations AS
SELECT a.uid AS attempt_uid,
       r.rank AS rank,
       r.sequence AS sequence,
       r.size_bytes AS size_bytes,
       r.allocated_ns AS allocated_ns,
       r.freed_ns AS freed_ns,
       r_phase.text AS phase,
       r_range.text AS range,
       r_origin.text AS origin
FROM allocation r
JOIN attempt a ON a.row = r.attempt
JOIN name r_phase ON r_phase.id = r.phase
JOIN name r_range ON r_range.id = r.range
JOIN name r_origin ON r_origin.id = r.origin;
CREATE VIEW memory_timeline AS
SELECT a.uid AS attempt_uid,
       r.rank AS rank,
       r.sequence AS sequence,
       r.time_ns AS time_ns,
       r.action AS action,
       r.size_bytes AS size_bytes,
       r.allocated_bytes AS allocated_bytes,
       r.reserved_bytes AS reserved_bytes,
       r_phase.text AS phase
FROM memory_event r
JOIN attempt a ON a.row = r.attempt
JOIN name r_phase ON r_phase.id = r.phase;
CREATE VIEW facts AS
SELECT a.uid AS attempt_uid,
       r.rank AS rank,
       r_name.text AS name,
       r.number AS number,
       r.text AS text,
       r.position AS position
FROM fact r
JOIN attempt a ON a.row = r.attempt
JOIN name r_name ON r_name.id = r.name;
CREATE VIEW kernels AS
SELECT a.uid AS attempt_uid,
       r.rank AS rank,
       r_phase.text AS phase,
       r_range.text AS range,
       r_kernel.text AS kernel,
       r_short_name.text AS short_name,
       r_class.text AS class,
       r.grid_x AS grid_x,
       r.grid_y AS grid_y,
       r.grid_z AS grid_z,
       r.block_x AS block_x,
       r.block_y AS block_y,
       r.block_z AS block_z,
       r.calls AS calls,
       r.total_ns AS total_ns,
       r.mean_ns AS mean_ns,
       r.median_ns AS median_ns,
       r.min_ns AS min_ns,
       r.max_ns AS max_ns,
       r.std_ns AS std_ns,
       r.registers AS registers,
       r.shared_bytes AS shared_bytes,
       r.occupancy AS occupancy,
       r.waves AS waves
FROM kernel r
JOIN attempt a ON a.row = r.attempt
JOIN name r_phase ON r_phase.id = r.phase
JOIN name r_range ON r_range.id = r.range
JOIN name r_kernel ON r_kernel.id = r.kernel
JOIN name r_short_name ON r_short_name.id = r.short_name
JOIN name r_class ON r_class.id = r.class;
CREATE VIEW operators AS
SELECT a.uid AS attempt_uid,
       r.rank AS rank,
       r_phase.text AS phase,
       r_range.text AS range,
       r_operator.text AS operator,
       r.calls AS calls,
       r.self_cpu_ns AS self_cpu_ns,
       r.total_cpu_ns AS total_cpu_ns,
       r.self_device_ns AS self_device_ns,
       r.total_device_ns AS total_device_ns
FROM operator r
JOIN attempt a ON a.row = r.attempt
JOIN name r_phase ON r_phase.id = r.phase
JOIN name r_range ON r_range.id = r.range
JOIN name r_operator ON r_operator.id = r.operator;
CREATE VIEW figures AS
SELECT t.key AS trial_key, t.workload AS workload,
       r_name.text AS name,
       r.value AS value,
       r_formula.text AS formula,
       r.position AS position
FROM figure r
JOIN trial t ON t.id = r.trial
JOIN name r_name ON r_name.id = r.name
JOIN name r_formula ON r_formula.id = r.formula;
CREATE VIEW "toy" AS
SELECT p."model" AS "model", p."context" AS "context", p."scale" AS "scale", p."tied" AS "tied", p."device" AS "device", p."world_size" AS "world_size", p."warmup" AS "warmup", p."steps" AS "steps", p."min_time" AS "min_time", p."max_time" AS "max_time", p."relative_error" AS "relative_error", p."slowdown" AS "slowdown", p."launch" AS "launch", p."threads" AS "threads", p."seed" AS "seed", p."memory_limit" AS "memory_limit", 
       phase.text AS phase,
       s.n AS n,
       s.mean AS mean,
       s.std AS std,
       s.min AS min,
       s.p05 AS p05,
       s.median AS median,
       s.p95 AS p95,
       s.max AS max,
       s.mad AS mad,
       s.steady_from AS steady_from,
       s.steadiness AS steadiness,
       w.tokens AS tokens,
       pw.flops AS flops,
       pw.bytes AS bytes,
       pw.recomputed_flops AS recomputed_flops,
       a.verdict AS verdict,
       a.outcome AS outcome,
       a.repeat AS repeat,
       h.hostname AS host,
       d.name AS device_name,
       t.key AS trial_key,
       a.uid AS attempt_uid,
       h.pool AS pool
FROM "params_toy" p
JOIN trial t ON t.id = p.trial
JOIN attempt a ON a.trial = p.trial AND a.pass = 'timing' AND a.is_current = 1
JOIN host h ON h.id = a.host
LEFT JOIN attempt_device ad ON ad.attempt = a.row AND ad.rank = 0
LEFT JOIN device d ON d.id = ad.device
LEFT JOIN summary s ON s.attempt = a.row AND a.outcome = 'done'
     AND s.metric = (SELECT id FROM name WHERE text = 'time')
LEFT JOIN name phase ON phase.id = s.phase
LEFT JOIN work w ON w.attempt = a.row
LEFT JOIN phase_work pw ON pw.attempt = a.row AND pw.phase = s.phase;
CREATE VIEW "toy_memory" AS
SELECT p."model" AS "model", p."context" AS "context", p."scale" AS "scale", p."tied" AS "tied", p."device" AS "device", p."world_size" AS "world_size", p."warmup" AS "warmup", p."steps" AS "steps", p."min_time" AS "min_time", p."max_time" AS "max_time", p."relative_error" AS "relative_error", p."slowdown" AS "slowdown", p."launch" AS "launch", p."threads" AS "threads", p."seed" AS "seed", p."memory_limit" AS "memory_limit", 
       phase.text AS phase,
       m.rank AS rank,
       m.at_start_bytes AS at_start_bytes,
       m.peak_allocated_bytes AS peak_allocated_bytes,
       m.at_end_bytes AS at_end_bytes,
       m.peak_reserved_bytes AS peak_reserved_bytes,
       m.device_in_use_bytes AS device_in_use_bytes,
       a.verdict AS verdict,
       a.outcome AS outcome,
       a.repeat AS repeat,
       h.hostname AS host,
       d.name AS device_name,
       t.key AS trial_key,
       a.uid AS attempt_uid,
       h.pool AS pool
FROM "params_toy" p
JOIN trial t ON t.id = p.trial
JOIN attempt a ON a.trial = p.trial AND a.pass = 'memory' AND a.is_current = 1
JOIN host h ON h.id = a.host
LEFT JOIN attempt_device ad ON ad.attempt = a.row AND ad.rank = 0
LEFT JOIN device d ON d.id = ad.device
LEFT JOIN memory m ON m.attempt = a.row AND a.outcome = 'done'
LEFT JOIN name phase ON phase.id = m.phase;
COMMIT;
PRAGMA application_id = 1937204592;
PRAGMA user_version = 38;
