package postgres

import (
	"slices"

	"github.com/labelwright/labelwright/internal/dataset"
)

// workNames are the columns that name a batch and an annotator.
var workNames = []dataset.RecordColumn{
	{Name: "batch", Type: dataset.TextColumn, Description: "The batch's name."},
	{Name: "annotator", Type: dataset.TextColumn, Description: "The annotator's pseudonym."},
}

// ifComments returns the text if the export has the comments of members. They may name someone.
func ifComments[T []dataset.RecordColumn | string](s Snapshot, value T) (included T) {
	if s.options.Comments {
		included = value
	}
	return included
}

// skipTable reads skips without the annotators, and without personal reasons, as leads see them.
func (s Snapshot) skipTable() recordQuery {
	return recordQuery{
		spec: dataset.RecordSpec{Name: "skips",
			Description: "items that an annotator skipped for a reason about the item",
			Columns: slices.Concat(itemNames, []dataset.RecordColumn{
				{Name: "batch", Type: dataset.TextColumn, Description: "The batch's name."},
				{Name: "reason", Type: dataset.TextColumn, Description: "The reason."},
				{Name: "skipped", Type: dataset.MomentColumn, Description: "When it was skipped."}},
				ifComments(s, []dataset.RecordColumn{{Name: "comment", Type: dataset.TextColumn,
					Description: "The annotator's comment."}}))},
		sql: `
			SELECT i.source_id, i.record_id, b.name, k.reason, k.created_at` + ifComments(s, ", k.comment") + `
			FROM skips k
			JOIN items i ON i.id = k.item_id
			JOIN batches b ON b.id = k.batch_id
			WHERE k.project_id = $1 AND NOT k.is_personal AND ` + s.scope.ofLabels("k") + `
			ORDER BY k.item_id, k.created_at, k.assignment_id`,
		args: []any{s.project.ID},
	}
}

func (s Snapshot) correctionTable() recordQuery {
	return recordQuery{
		spec: dataset.RecordSpec{Name: "corrections",
			Description: "requests to correct a submitted item, and how a lead resolved them",
			Columns: slices.Concat(workNames, itemNames, []dataset.RecordColumn{
				{Name: "kind", Type: dataset.TextColumn, Description: "work, duplicate, gold or calibration."},
				{Name: "by_lead", Type: dataset.BooleanColumn,
					Description: "true if a lead reopened the item without a request."},
				{Name: "requested", Type: dataset.MomentColumn, Description: "When it was requested."},
				{Name: "resolved", Type: dataset.MomentColumn, Description: "When a lead decided. Empty: not yet."},
				{Name: "reopened", Type: dataset.BooleanColumn,
					Description: "true if the annotator could correct the item."}},
				ifComments(s, []dataset.RecordColumn{
					{Name: "message", Type: dataset.TextColumn, Description: "What is to be corrected."},
					{Name: "reply", Type: dataset.TextColumn, Description: "The lead's reply."}}))},
		sql: `
			SELECT b.name, m.pseudonym, i.source_id, i.record_id, a.kind, c.created_by IS NOT NULL, c.created_at,
			c.resolved_at, c.reopened` + ifComments(s, ", c.message, c.reply") + `
			FROM correction_requests c
			JOIN assignments a ON a.id = c.assignment_id
			JOIN batches b ON b.id = a.batch_id
			JOIN items i ON i.id = a.item_id
			JOIN members m ON m.project_id = b.project_id AND m.account_id = a.account_id
			WHERE b.project_id = $1 AND ` + s.scope.ofLabels("a") + `
			ORDER BY c.id`,
		args: []any{s.project.ID},
	}
}

func (s Snapshot) attemptTable() recordQuery {
	return recordQuery{
		spec: dataset.RecordSpec{Name: "attempts", Description: "attempts of annotators at the calibration set",
			Columns: slices.Concat(workNames, []dataset.RecordColumn{
				{Name: "attempt_no", Type: dataset.IntegerColumn, Description: "The number of the attempt, from 1."},
				{Name: "completed", Type: dataset.MomentColumn, Description: "When it was completed. Empty: not yet."},
				{Name: "missed_fields", Type: dataset.ListColumn, Description: "Fields outside the tolerance."},
				{Name: "by_lead", Type: dataset.BooleanColumn,
					Description: "true if a lead let the annotator continue."}},
				ifComments(s, []dataset.RecordColumn{{Name: "reason", Type: dataset.TextColumn,
					Description: "The lead's reason."}}))},
		sql: `
			SELECT b.name, m.pseudonym, c.attempt_no, c.completed_at, c.missed_fields,
			c.resolved_by IS NOT NULL` + ifComments(s, ", c.reason") + `
			FROM calibration_attempts c
			JOIN batches b ON b.id = c.batch_id
			JOIN members m ON m.project_id = b.project_id AND m.account_id = c.account_id
			WHERE b.project_id = $1 AND ` + s.scope.inBatches("c.batch_id") + `
			ORDER BY c.batch_id, m.pseudonym, c.attempt_no`,
		args: []any{s.project.ID},
	}
}

func (s Snapshot) breakTable() recordQuery {
	return recordQuery{
		spec: dataset.RecordSpec{Name: "breaks", Description: "breaks of annotators",
			Columns: append(workNames[:2:2],
				dataset.RecordColumn{Name: "after_sequence_no", Type: dataset.IntegerColumn,
					Description: "The position of the last item before the break."},
				dataset.RecordColumn{Name: "planned", Type: dataset.BooleanColumn,
					Description: "true if the batch planned the break."},
				dataset.RecordColumn{Name: "scheduled_minutes", Type: dataset.IntegerColumn,
					Description: "The length that was scheduled, in minutes."},
				dataset.RecordColumn{Name: "minutes", Type: dataset.IntegerColumn,
					Description: "Minutes until the annotator continued. Empty: not yet."},
				dataset.RecordColumn{Name: "completed", Type: dataset.BooleanColumn,
					Description: "true if the annotator took the whole break."},
				dataset.RecordColumn{Name: "started", Type: dataset.MomentColumn,
					Description: "When the break started."})},
		sql: `
			SELECT b.name, m.pseudonym, k.after_sequence_no, k.planned, round(extract(epoch
			FROM k.scheduled_end_at - k.started_at) / 60)::integer,
			       round(extract(epoch FROM k.ended_at - k.started_at) / 60)::integer, k.completed, k.started_at
			FROM breaks k
			JOIN batches b ON b.id = k.batch_id
			JOIN members m ON m.project_id = b.project_id AND m.account_id = k.account_id
			WHERE b.project_id = $1 AND ` + s.scope.inBatches("k.batch_id") + `
			ORDER BY k.id`,
		args: []any{s.project.ID},
	}
}

// sessionTable finds sessions by their start, which each annotation knows to the minute.
func (s Snapshot) sessionTable() recordQuery {
	return recordQuery{
		spec: dataset.RecordSpec{Name: "sessions",
			Description: "times at work of annotators without a gap of 30 minutes",
			Columns: []dataset.RecordColumn{
				{Name: "annotator", Type: dataset.TextColumn, Description: "The annotator's pseudonym."},
				{Name: "session_no", Type: dataset.IntegerColumn,
					Description: "The number of the session of this annotator, from 1."},
				{Name: "items", Type: dataset.IntegerColumn,
					Description: "Submitted annotations, with calibration, hidden duplicates and gold items."},
				{Name: "minutes", Type: dataset.IntegerColumn,
					Description: "Minutes from the start to the last submission."},
				{Name: "active_minutes", Type: dataset.IntegerColumn,
					Description: "Active time of these items in minutes."},
				{Name: "last_submitted", Type: dataset.MomentColumn,
					Description: "When the last item was submitted."}}},
		sql: `
			SELECT m.pseudonym, s.session_no::integer, s.items::integer, s.minutes::integer, s.active_minutes::integer,
			s.last_submitted_at
			FROM (
				SELECT account_id, session_no, count(*) AS items, max(session_minutes) AS minutes,
				       round(sum(active_ms) / 60000.0) AS active_minutes, max(submitted_at) AS last_submitted_at
				FROM (
					SELECT t.*, count(*) FILTER (WHERE is_first) OVER (PARTITION BY account_id
					ORDER BY id ROWS UNBOUNDED PRECEDING) AS session_no
					FROM (
						SELECT n.id, n.account_id, n.session_minutes, n.active_ms, n.submitted_at,
						       coalesce(n.submitted_at - make_interval(mins => n.session_minutes)
						           > lag(n.submitted_at - make_interval(mins => n.session_minutes)) OVER (PARTITION BY
						           n.account_id ORDER BY n.id) + interval '90 seconds', true) AS is_first
						FROM annotations n
						JOIN batches b ON b.id = n.batch_id
						WHERE n.protocol_version_id = $1 AND b.project_id = $2
						AND ` + s.scope.ofLabels("n") + `) t) numbered
				GROUP BY account_id, session_no) s
			JOIN members m ON m.project_id = $2 AND m.account_id = s.account_id
			ORDER BY m.pseudonym, s.session_no`,
		args: []any{s.project.ProtocolVersionID, s.project.ID},
	}
}
