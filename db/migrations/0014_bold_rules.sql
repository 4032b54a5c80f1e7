-- A cell may also be bold because it is the best of its row or column. The words are those of
-- runner/model/sweep.h (Bold), which whoever reads them checks. What says 'none' in a value had the
-- table's rule all the same; NULL says so now, and 'none' is none.
ALTER TABLE sweep_table ADD COLUMN bold_rule TEXT NOT NULL DEFAULT 'none';
UPDATE sweep_table SET bold_rule = bold;
ALTER TABLE sweep_table DROP COLUMN bold;
ALTER TABLE sweep_table RENAME COLUMN bold_rule TO bold;

ALTER TABLE sweep_table_value ADD COLUMN bold_rule TEXT;  -- NULL: the table's
UPDATE sweep_table_value SET bold_rule = nullif(bold, 'none');
ALTER TABLE sweep_table_value DROP COLUMN bold;
ALTER TABLE sweep_table_value RENAME COLUMN bold_rule TO bold;
