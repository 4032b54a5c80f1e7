-- How many trials and attempts a sweep has. `list` and `watch` ask all the time, and counting a
-- million rows takes most of a second. Triggers keep it, so that no writer can forget it.
CREATE TABLE sweep_count (
  sweep INTEGER NOT NULL REFERENCES sweep (id),
  what  TEXT NOT NULL,  -- 'trials', or the state of attempts: 'queued', 'running' or an outcome
  n     INTEGER NOT NULL,
  PRIMARY KEY (sweep, what)
) STRICT, WITHOUT ROWID;

INSERT INTO sweep_count SELECT sweep, 'trials', count(*) FROM sweep_trial GROUP BY sweep;
INSERT INTO sweep_count
SELECT sa.sweep, coalesce(a.outcome, iif(a.started_ns IS NULL, 'queued', 'running')) AS state,
       count(*)
FROM sweep_attempt sa JOIN attempt a ON a.row = sa.attempt GROUP BY sa.sweep, state;

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
