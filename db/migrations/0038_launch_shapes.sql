-- A kernel's registers, shared memory, occupancy and waves, where a trace or CUPTI reports them.
ALTER TABLE kernel ADD COLUMN registers INTEGER NOT NULL DEFAULT 0;     -- of a thread; 0: unknown
ALTER TABLE kernel ADD COLUMN shared_bytes INTEGER NOT NULL DEFAULT 0;  -- of a block, static and dynamic
ALTER TABLE kernel ADD COLUMN occupancy REAL;                           -- share of a multiprocessor's warps
ALTER TABLE kernel ADD COLUMN waves REAL;                               -- of blocks on the device
