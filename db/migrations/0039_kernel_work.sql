-- What the calls of a kernel compute and move, where a trace has the shapes of its operators.
ALTER TABLE kernel ADD COLUMN flops REAL;                           -- of all calls, like the next
ALTER TABLE kernel ADD COLUMN bytes REAL;
ALTER TABLE kernel ADD COLUMN arithmetic TEXT NOT NULL DEFAULT '';  -- of the FLOPs: 'bf16'
