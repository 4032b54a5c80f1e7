-- Whether points of the sweep beyond one that ran out of memory are left out (runner/model/frontier.h).
ALTER TABLE sweep ADD COLUMN frontier INTEGER NOT NULL DEFAULT 1;
