-- The mean of a bandwidth is the bytes of all operations by the time of all: the harmonic mean of the
-- steps' rates. Until here it was their arithmetic mean, in which one quick step outweighs many.
UPDATE summary SET mean = coalesce(
  (SELECT count(*) / sum(1.0 / step.value) FROM
     (SELECT max(s.value) AS value FROM sample s
      WHERE s.attempt = summary.attempt AND s.metric = summary.metric AND
            s.phase = summary.phase AND s.warmup = 0 GROUP BY s.step) AS step), mean)
WHERE min > 0 AND metric IN (SELECT id FROM name WHERE text IN ('algbw', 'busbw'));
