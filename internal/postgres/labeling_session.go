package postgres

// touchSession records activity of the annotator of assignment $1, and returns the minutes
// since their session started. It starts a new session if the last one ended. Who works in
// a project is identified to its leads.
const touchSession = `
	UPDATE members m
	SET session_started_at = CASE WHEN session_is_active(m.last_active_at) THEN m.session_started_at ELSE now() END, last_active_at = now(), is_identified = true
	FROM batches sb JOIN assignments sa ON sa.batch_id = sb.id
	WHERE sa.id = $1 AND m.project_id = sb.project_id AND m.account_id = sa.account_id
	RETURNING (extract(epoch FROM now() - m.session_started_at) / 60)::int AS minutes`

// countDay counts the item of assignment $1 with $2 milliseconds of active time in the day of
// its annotator.
const countDay = `
	INSERT INTO annotator_days (project_id, account_id, day, item_count, active_ms)
	SELECT db.project_id, da.account_id, current_date, 1, $2::bigint
	FROM assignments da JOIN batches db ON db.id = da.batch_id
	WHERE da.id = $1
	ON CONFLICT (project_id, account_id, day) DO UPDATE
	SET item_count = annotator_days.item_count + 1, active_ms = annotator_days.active_ms + excluded.active_ms`
