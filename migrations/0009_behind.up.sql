-- How much lies behind an annotator in a batch, so that no submit has to count
-- it anew. Each is kept by the statement that changes it: the annotation's own,
-- and those that begin and end a break.
ALTER TABLE batch_annotators
    ADD COLUMN work        integer NOT NULL DEFAULT 0, -- work items answered, each once
    ADD COLUMN since_rest  integer NOT NULL DEFAULT 0, -- annotations since the last break, taken or not
    ADD COLUMN since_break integer NOT NULL DEFAULT 0; -- since the last break that was taken

UPDATE batch_annotators ba
SET (work, since_rest, since_break) = (
    SELECT count(*) FILTER (WHERE a.kind = 'work' AND n.attempt = 1),
           count(*) FILTER (WHERE n.submitted_at > coalesce(rest.began, '-infinity')),
           count(*) FILTER (WHERE n.submitted_at > coalesce(rest.ended, '-infinity'))
    FROM annotations n
    JOIN assignments a ON a.id = n.assignment_id
    CROSS JOIN (
        SELECT max(k.started_at) AS began, max(k.left_at) FILTER (WHERE k.taken) AS ended
        FROM breaks k
        WHERE k.batch_id = ba.batch_id AND k.account_id = ba.account_id) rest
    WHERE n.batch_id = ba.batch_id AND n.account_id = ba.account_id);

-- The few that come before what is new: to be answered once more, set aside for
-- later, gone back to the pool.
CREATE INDEX assignment_waiting ON assignments (batch_id, account_id) WHERE reopened OR later OR state = 'returned';

-- What one annotator sent last, and what today.
CREATE INDEX ON assignments (account_id, closed_at);

-- A break stops the clock of whatever is open, in any batch.
CREATE INDEX ON breaks (account_id, left_at);
