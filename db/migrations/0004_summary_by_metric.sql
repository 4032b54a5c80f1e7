-- One metric of one phase over all attempts, read front to back: what a table over many trials asks.
-- It holds every column, so that the table itself is not read at all.
CREATE INDEX summary_by_metric ON summary (metric, phase, attempt, n, mean, std, min, p05, median,
                                           p95, max, mad);
