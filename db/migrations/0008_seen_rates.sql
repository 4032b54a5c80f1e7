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
