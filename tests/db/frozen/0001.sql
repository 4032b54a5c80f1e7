-- Version 1, as dumped from the test fixture (docs/DATABASE.md, "Add a migration"). Never edit.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE name (
  id   INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO name VALUES(1,'forward');
INSERT INTO name VALUES(2,'backward');
INSERT INTO name VALUES(3,'step');
INSERT INTO name VALUES(4,'V*d');
INSERT INTO name VALUES(5,'parameters');
INSERT INTO name VALUES(6,'time');
INSERT INTO name VALUES(7,'logits.dtype');
CREATE TABLE host (
  id           INTEGER PRIMARY KEY,
  uid          TEXT NOT NULL UNIQUE,
  hostname     TEXT NOT NULL,
  cpu_model    TEXT NOT NULL,
  cores        INTEGER NOT NULL,
  sockets      INTEGER NOT NULL,
  memory_bytes INTEGER NOT NULL
) STRICT;
INSERT INTO host VALUES(1,'id-of-alpha','alpha','Test CPU',4,0,0);
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
INSERT INTO device VALUES(1,1,'cpu','id-of-alpha','Test CPU',0,'');
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
INSERT INTO environment VALUES(1,'667408bbfa33b494938161588bcb9c51',1,'','','','2.11.0','','','','','',0,NULL,NULL,'');
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
INSERT INTO sweep VALUES(1,'f00df00df00df00d','frozen','','toy','interleaved',1000000000,NULL,replace('sweep: frozen\n','\n',char(10)));
CREATE TABLE sweep_pass (
  sweep    INTEGER NOT NULL REFERENCES sweep (id),
  position INTEGER NOT NULL,
  pass     TEXT NOT NULL CHECK (pass IN ('timing', 'memory', 'profile')),
  PRIMARY KEY (sweep, position)
) STRICT, WITHOUT ROWID;
INSERT INTO sweep_pass VALUES(1,0,'timing');
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
INSERT INTO sweep_table VALUES(1,0,'','','','',0);
CREATE TABLE sweep_table_dimension (
  sweep          INTEGER NOT NULL,
  table_position INTEGER NOT NULL,
  side           TEXT NOT NULL CHECK (side IN ('row', 'column')),
  position       INTEGER NOT NULL,
  name           TEXT NOT NULL,
  PRIMARY KEY (sweep, table_position, side, position),
  FOREIGN KEY (sweep, table_position) REFERENCES sweep_table (sweep, position)
) STRICT, WITHOUT ROWID;
INSERT INTO sweep_table_dimension VALUES(1,0,'row',0,'context');
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
INSERT INTO sweep_table_filter VALUES(1,0,0,0,'phase','forward');
INSERT INTO sweep_table_filter VALUES(1,0,0,1,'phase','step');
CREATE TABLE trial (
  id       INTEGER PRIMARY KEY,
  key      TEXT NOT NULL UNIQUE,
  workload TEXT NOT NULL,
  version  INTEGER NOT NULL
) STRICT;
INSERT INTO trial VALUES(1,'bff9e9357e57e29564de2c02c5755641','toy',1);
INSERT INTO trial VALUES(2,'ea65cc164886cc3f3f0acfe3b5d66204','toy',1);
INSERT INTO trial VALUES(3,'8ea814ea228248cb56a3b25d0482c8d7','toy',1);
CREATE TABLE sweep_trial (
  sweep      INTEGER NOT NULL REFERENCES sweep (id),
  trial      INTEGER NOT NULL REFERENCES trial (id),
  position   INTEGER NOT NULL,
  priority   INTEGER NOT NULL,
  timeout_ns INTEGER NOT NULL,
  repeats    INTEGER NOT NULL,
  PRIMARY KEY (sweep, trial)
) STRICT, WITHOUT ROWID;
INSERT INTO sweep_trial VALUES(1,1,0,0,1800000000000,1);
INSERT INTO sweep_trial VALUES(1,2,1,0,1800000000000,1);
INSERT INTO sweep_trial VALUES(1,3,2,0,1800000000000,1);
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
INSERT INTO attempt VALUES(1,'8ae565d987d719ce',1,'timing',0,1,1,'done','suspect',0,0,1800000000000,1,5000000000,1,'fixed_steps',NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO attempt VALUES(2,'e55a3e09cf69f191',2,'timing',0,1,1,'oom',NULL,1,0,1800000000000,NULL,5000000000,NULL,NULL,NULL,NULL,0,'backward',NULL,1073741824,2147483648,4294967296,NULL);
INSERT INTO attempt VALUES(3,'ddedf06ff680a127',3,'timing',0,1,1,NULL,NULL,2,0,1800000000000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
CREATE TABLE lease (
  attempt   INTEGER NOT NULL REFERENCES attempt (row),
  rank      INTEGER NOT NULL,
  cores     TEXT NOT NULL,
  gpu_uuid  TEXT NOT NULL,
  gpu_index INTEGER NOT NULL,
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
  PRIMARY KEY (attempt, rank)
) STRICT, WITHOUT ROWID;
INSERT INTO attempt_device VALUES(1,0,1,0,'',NULL,NULL);
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
INSERT INTO device_state VALUES(1,0,'',NULL,NULL,NULL,NULL,'',0,0.0);
CREATE TABLE device_peak (
  device        INTEGER NOT NULL REFERENCES device (id),
  arithmetic    TEXT NOT NULL,
  flops_per_s   REAL NOT NULL,
  flops_attempt INTEGER REFERENCES attempt (row),
  bytes_per_s   REAL NOT NULL,
  bytes_attempt INTEGER REFERENCES attempt (row),
  PRIMARY KEY (device, arithmetic)
) STRICT, WITHOUT ROWID;
INSERT INTO device_peak VALUES(1,'fp32',50000000000.0,1,0.0,1);
CREATE TABLE work (
  attempt    INTEGER PRIMARY KEY REFERENCES attempt (row),
  arithmetic TEXT NOT NULL,
  tokens     REAL NOT NULL
) STRICT;
INSERT INTO work VALUES(1,'fp32',512.0);
CREATE TABLE phase_work (
  attempt INTEGER NOT NULL REFERENCES attempt (row),
  phase   INTEGER NOT NULL REFERENCES name (id),
  flops   REAL NOT NULL,
  bytes   REAL NOT NULL,
  PRIMARY KEY (attempt, phase)
) STRICT, WITHOUT ROWID;
INSERT INTO phase_work VALUES(1,1,1000000000.0,1000000.0);
INSERT INTO phase_work VALUES(1,2,2000000000.0,2000000.0);
INSERT INTO phase_work VALUES(1,3,3000000000.0,3000000.0);
CREATE TABLE figure (
  trial   INTEGER NOT NULL REFERENCES trial (id),
  name    INTEGER NOT NULL REFERENCES name (id),
  value   REAL,
  formula INTEGER NOT NULL REFERENCES name (id),
  PRIMARY KEY (trial, name)
) STRICT, WITHOUT ROWID;
INSERT INTO figure VALUES(1,5,1998235200.0,4);
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
INSERT INTO summary VALUES(1,6,1,2,10.0,0.0,10.0,10.0,10.0,10.0,10.0,0.0);
INSERT INTO summary VALUES(1,6,2,2,20.0,0.0,20.0,20.0,20.0,20.0,20.0,0.0);
INSERT INTO summary VALUES(1,6,3,2,30.0,0.0,30.0,30.0,30.0,30.0,30.0,0.0);
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
INSERT INTO memory VALUES(1,0,3,1048576,2097152,8388608,16777216,33554432);
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
INSERT INTO fact VALUES(1,0,7,NULL,'float32');
CREATE TABLE IF NOT EXISTS "params_toy" (trial INTEGER PRIMARY KEY REFERENCES trial (id), "model" TEXT NOT NULL DEFAULT 'small', "context" INTEGER NOT NULL DEFAULT 128, "scale" REAL NOT NULL DEFAULT 0.5, "tied" INTEGER NOT NULL DEFAULT 0, "device" TEXT NOT NULL DEFAULT 'auto', "world_size" INTEGER NOT NULL DEFAULT 1, "warmup" INTEGER NOT NULL DEFAULT 5, "steps" INTEGER NOT NULL DEFAULT 10, "min_time" INTEGER NOT NULL DEFAULT 0, "max_time" INTEGER NOT NULL DEFAULT 0, "relative_error" REAL NOT NULL DEFAULT 0, "threads" INTEGER NOT NULL DEFAULT 0, "seed" INTEGER NOT NULL DEFAULT 0, "memory_limit" INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO params_toy VALUES(1,'xl',128,0.5,0,'auto',1,5,10,0,0,0.0,0,0,0);
INSERT INTO params_toy VALUES(2,'xl',256,0.5,0,'auto',1,5,10,0,0,0.0,0,0,0);
INSERT INTO params_toy VALUES(3,'xl',512,0.5,0,'auto',1,5,10,0,0,0.0,0,0,0);
CREATE INDEX sweep_by_name ON sweep (name);
CREATE INDEX attempt_by_trial ON attempt (trial, pass, repeat);
CREATE UNIQUE INDEX attempt_current ON attempt (trial, pass, repeat, host) WHERE is_current = 1;
CREATE INDEX attempt_open ON attempt (trial, pass, repeat) WHERE outcome IS NULL;
CREATE INDEX sweep_attempt_by_attempt ON sweep_attempt (attempt);
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
       a.limit_bytes AS limit_bytes, a.limit_ns AS limit_ns
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
       a.outcome AS outcome, a.verdict AS verdict, a.uid AS attempt_uid
FROM sweep s
JOIN sweep_attempt sa ON sa.sweep = s.id
JOIN attempt a ON a.row = sa.attempt
JOIN trial t ON t.id = a.trial
JOIN sweep_trial st ON st.sweep = s.id AND st.trial = t.id;
CREATE VIEW samples AS
SELECT a.uid AS attempt_uid, s.rank AS rank, s.step AS step, s.warmup AS warmup, p.text AS phase,
       m.text AS metric, s.value AS value
FROM sample s
JOIN attempt a ON a.row = s.attempt
JOIN name p ON p.id = s.phase
JOIN name m ON m.id = s.metric;
CREATE VIEW summaries AS
SELECT a.uid AS attempt_uid, p.text AS phase, m.text AS metric, s.n AS n, s.mean AS mean,
       s.std AS std, s.min AS min, s.p05 AS p05, s.median AS median, s.p95 AS p95, s.max AS max,
       s.mad AS mad
FROM summary s
JOIN attempt a ON a.row = s.attempt
JOIN name p ON p.id = s.phase
JOIN name m ON m.id = s.metric;
CREATE VIEW memories AS
SELECT a.uid AS attempt_uid, m.rank AS rank, p.text AS phase, m.at_start_bytes AS at_start_bytes,
       m.at_end_bytes AS at_end_bytes, m.peak_allocated_bytes AS peak_allocated_bytes,
       m.peak_reserved_bytes AS peak_reserved_bytes, m.device_in_use_bytes AS device_in_use_bytes
FROM memory m
JOIN attempt a ON a.row = m.attempt
JOIN name p ON p.id = m.phase;
CREATE VIEW figures AS
SELECT t.key AS trial_key, t.workload AS workload, n.text AS name, f.value AS value,
       x.text AS formula
FROM figure f
JOIN trial t ON t.id = f.trial
JOIN name n ON n.id = f.name
JOIN name x ON x.id = f.formula;
CREATE VIEW facts AS
SELECT a.uid AS attempt_uid, f.rank AS rank, n.text AS name, f.number AS number, f.text AS text
FROM fact f
JOIN attempt a ON a.row = f.attempt
JOIN name n ON n.id = f.name;
CREATE VIEW kernels AS
SELECT a.uid AS attempt_uid, k.rank AS rank, p.text AS phase, r.text AS range, n.text AS kernel,
       k.grid_x AS grid_x, k.grid_y AS grid_y, k.grid_z AS grid_z, k.block_x AS block_x,
       k.block_y AS block_y, k.block_z AS block_z, k.calls AS calls, k.total_ns AS total_ns,
       k.mean_ns AS mean_ns, k.median_ns AS median_ns, k.min_ns AS min_ns, k.max_ns AS max_ns,
       k.std_ns AS std_ns
FROM kernel k
JOIN attempt a ON a.row = k.attempt
JOIN name p ON p.id = k.phase
JOIN name r ON r.id = k.range
JOIN name n ON n.id = k.kernel;
CREATE VIEW "toy" AS
SELECT p."model" AS "model", p."context" AS "context", p."scale" AS "scale", p."tied" AS "tied", p."device" AS "device", p."world_size" AS "world_size", p."warmup" AS "warmup", p."steps" AS "steps", p."min_time" AS "min_time", p."max_time" AS "max_time", p."relative_error" AS "relative_error", p."threads" AS "threads", p."seed" AS "seed", p."memory_limit" AS "memory_limit", 
       phase.text AS phase,
       s.n AS n, s.mean AS mean, s.std AS std, s.min AS min, s.p05 AS p05, s.median AS median,
       s.p95 AS p95, s.max AS max, s.mad AS mad,
       w.tokens AS tokens, pw.flops AS flops, pw.bytes AS bytes,
       a.verdict AS verdict, a.outcome AS outcome, a.repeat AS repeat, h.hostname AS host,
       d.name AS device_name, t.key AS trial_key, a.uid AS attempt_uid
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
SELECT p."model" AS "model", p."context" AS "context", p."scale" AS "scale", p."tied" AS "tied", p."device" AS "device", p."world_size" AS "world_size", p."warmup" AS "warmup", p."steps" AS "steps", p."min_time" AS "min_time", p."max_time" AS "max_time", p."relative_error" AS "relative_error", p."threads" AS "threads", p."seed" AS "seed", p."memory_limit" AS "memory_limit", 
       phase.text AS phase, m.rank AS rank,
       m.at_start_bytes AS at_start_bytes, m.at_end_bytes AS at_end_bytes,
       m.peak_allocated_bytes AS peak_allocated_bytes,
       m.peak_reserved_bytes AS peak_reserved_bytes,
       m.device_in_use_bytes AS device_in_use_bytes,
       a.verdict AS verdict, a.outcome AS outcome, a.repeat AS repeat, h.hostname AS host,
       d.name AS device_name, t.key AS trial_key, a.uid AS attempt_uid
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
PRAGMA user_version = 1;
