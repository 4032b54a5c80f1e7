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
