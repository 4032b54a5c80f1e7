-- What the device itself says about its size: the L2 cache bounds what a timing can say about the
-- memory, and a GPU with another number of multiprocessors than its datasheet's is another GPU.
ALTER TABLE attempt_device ADD COLUMN cache_bytes INTEGER NOT NULL DEFAULT 0;  -- 0: unknown
ALTER TABLE attempt_device ADD COLUMN multiprocessors INTEGER;
