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
