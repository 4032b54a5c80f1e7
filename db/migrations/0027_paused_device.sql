-- When the device was paused; NULL: it is not. No attempt is placed on a paused device.
ALTER TABLE device ADD COLUMN paused_ns INTEGER;
