-- Views for people. Made again at open whenever this text differs from the database's. Those of
-- single records are in db/base/record_views.cpp.

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
