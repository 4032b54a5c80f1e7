-- Views for people, one a table whose rows need names: a table is singular, its readable view
-- plural. Made again at open whenever this text differs from the database's.

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

CREATE VIEW held_tensors AS
SELECT a.uid AS attempt_uid, h.rank AS rank, h.kind AS kind, n.text AS name,
       h.size_bytes AS size_bytes
FROM memory_held h
JOIN attempt a ON a.row = h.attempt
JOIN name n ON n.id = h.name;

CREATE VIEW allocations AS
SELECT a.uid AS attempt_uid, b.rank AS rank, b.sequence AS sequence, b.size_bytes AS size_bytes,
       b.allocated_ns AS allocated_ns, b.freed_ns AS freed_ns, p.text AS phase, r.text AS range,
       o.text AS origin
FROM allocation b
JOIN attempt a ON a.row = b.attempt
JOIN name p ON p.id = b.phase
JOIN name r ON r.id = b.range
JOIN name o ON o.id = b.origin;

CREATE VIEW memory_timeline AS
SELECT a.uid AS attempt_uid, e.rank AS rank, e.sequence AS sequence, e.time_ns AS time_ns,
       e.action AS action, e.size_bytes AS size_bytes, e.allocated_bytes AS allocated_bytes,
       e.reserved_bytes AS reserved_bytes, p.text AS phase
FROM memory_event e
JOIN attempt a ON a.row = e.attempt
JOIN name p ON p.id = e.phase;

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
       s.text AS short_name, c.text AS class,
       k.grid_x AS grid_x, k.grid_y AS grid_y, k.grid_z AS grid_z, k.block_x AS block_x,
       k.block_y AS block_y, k.block_z AS block_z, k.calls AS calls, k.total_ns AS total_ns,
       k.mean_ns AS mean_ns, k.median_ns AS median_ns, k.min_ns AS min_ns, k.max_ns AS max_ns,
       k.std_ns AS std_ns
FROM kernel k
JOIN attempt a ON a.row = k.attempt
JOIN name p ON p.id = k.phase
JOIN name r ON r.id = k.range
JOIN name n ON n.id = k.kernel
JOIN name s ON s.id = k.short_name
JOIN name c ON c.id = k.class;

CREATE VIEW operators AS
SELECT a.uid AS attempt_uid, o.rank AS rank, p.text AS phase, r.text AS range,
       n.text AS operator, o.calls AS calls, o.self_cpu_ns AS self_cpu_ns,
       o.total_cpu_ns AS total_cpu_ns, o.self_device_ns AS self_device_ns,
       o.total_device_ns AS total_device_ns
FROM operator o
JOIN attempt a ON a.row = o.attempt
JOIN name p ON p.id = o.phase
JOIN name r ON r.id = o.range
JOIN name n ON n.id = o.operator;
