-- Whether the steps of one attempt are on one level, and from which step on; NULL in results from
-- before this was known. A table over many trials reads the word beside the figures, from the index.
ALTER TABLE summary ADD COLUMN steady_from INTEGER;
ALTER TABLE summary ADD COLUMN steadiness TEXT;
DROP INDEX summary_by_metric;
CREATE INDEX summary_by_metric ON summary (metric, phase, attempt, n, mean, std, min, p05, median,
                                           p95, max, mad, steadiness);
