package postgres

import "fmt"

// touchSession returns the statement that records activity of an annotator in a project, given
// by parameters, and returns the minutes since their session started. It starts a new session if
// the last one ended. Who works in a project is identified to its leads.
func touchSession(projectParam, accountParam string) string {
	return fmt.Sprintf(`
	UPDATE members m
	SET session_started_at = CASE WHEN session_is_active(m.last_active_at) THEN m.session_started_at ELSE now() END,
	last_active_at = now(), is_identified = true
	WHERE m.project_id = %s AND m.account_id = %s
	RETURNING (extract(epoch FROM now() - m.session_started_at) / 60)::int AS minutes`, projectParam, accountParam)
}

// countDay returns the statement that counts an item, with milliseconds of active time, in the
// day of an annotator in a project, given by parameters.
func countDay(projectParam, accountParam, activeParam string) string {
	return fmt.Sprintf(`
	INSERT INTO annotator_days (project_id, account_id, day, item_count, active_ms)
	VALUES (%s, %s, current_date, 1, %s::bigint)
	ON CONFLICT (project_id, account_id, day) DO UPDATE
	SET item_count = annotator_days.item_count + 1, active_ms = annotator_days.active_ms +
	excluded.active_ms`, projectParam, accountParam, activeParam)
}
