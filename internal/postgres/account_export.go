package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// An AccountSection is a part of what is stored about an account.
type AccountSection struct {
	Name string           `json:"name" example:"sign_ins"`
	Rows []map[string]any `json:"rows" doc:"Values that are not set are missing."`
}

// accountSections are the queries of an export of the account $1. With $2, it is for the user: it has the reasons of
// skips that only they know, but not yet their work in open batches, in which they could look up hidden duplicates, nor
// first labels of items that they label again in an open round.
var accountSections = []struct{ name, query string }{
	{"account", `SELECT a.id, a.role, a.disabled, a.created_at, u.email, u.name, u.receives_mail, u.browser_language,
		u.password_hash IS NOT NULL AS has_password
		FROM accounts a JOIN identity.users u ON u.account_id = a.id WHERE a.id = $1`},
	{"settings", `SELECT s.theme, s.text_size, s.reduces_motion, s.language, s.auto_advances, s.shortcuts_disabled,
		s.keys, s.updated_at FROM identity.account_settings s WHERE s.account_id = $1`},
	{"sign_ins", `SELECT s.browser, s.client_address, s.created_at, s.last_active_at
		FROM identity.sign_ins s WHERE s.account_id = $1 ORDER BY s.id`},
	{"known_browsers", `SELECT k.last_seen_at FROM identity.known_browsers k WHERE k.account_id = $1 ORDER BY 1`},
	{"company_sign_ins", `SELECT o.issuer, o.subject, o.created_at
		FROM identity.oidc_subjects o WHERE o.account_id = $1 ORDER BY o.created_at`},
	{"second_factor", `SELECT f.created_at FROM identity.second_factors f WHERE f.account_id = $1`},
	{"passkeys", `SELECT p.name, p.created_at, p.last_used_at FROM identity.passkeys p
		WHERE p.account_id = $1 ORDER BY p.id`},
	{"invitations", `SELECT i.for_project, i.is_mailed, i.expires_at, i.new_email
		FROM identity.invitations i WHERE i.account_id = $1 ORDER BY i.expires_at`},
	{"api_tokens", `SELECT t.name, t.prefix, t.scopes, t.created_at, t.expires_at, t.last_used_at, t.revoked_at
		FROM identity.api_tokens t WHERE t.account_id = $1 ORDER BY t.id`},
	{"mails", `SELECT m.kind, m.created_at, m.sent_at, m.failed_at
		FROM identity.mails m WHERE m.account_id = $1 ORDER BY m.id`},
	{"memberships", `SELECT p.key AS project, m.role, m.pseudonym, m.joined_at, m.removed_at, m.last_active_at,
		m.work_ended_at, m.thank_you
		FROM members m JOIN projects p ON p.id = m.project_id WHERE m.account_id = $1 ORDER BY p.key`},
	{"readings", `SELECT p.key AS project, r.document, r.version, r.acknowledged_at
		FROM reading_acknowledgments r JOIN projects p ON p.id = r.project_id WHERE r.account_id = $1
		ORDER BY r.acknowledged_at`},
	{"hours", `SELECT p.key AS project, d.day, d.item_count, d.active_ms
		FROM annotator_days d JOIN projects p ON p.id = d.project_id WHERE d.account_id = $1 ORDER BY p.key, d.day`},
	{"batches", `SELECT p.key AS project, b.name AS batch, ba.share, ba.label_count, ba.paused_at, ba.removed_at
		FROM batch_annotators ba ` + ofBatch + ` WHERE ba.account_id = $1 ORDER BY p.key, b.id`},
	{"labels", `SELECT p.key AS project, b.name AS batch, i.source_id AS item, n.attempt_no, n.answers, n.observations,
		n.unsure, n.note, n.active_ms, n.opened_at, n.submitted_at
		FROM batch_annotators ba ` + ofBatch + `
		JOIN annotations n ON n.batch_id = ba.batch_id AND n.account_id = ba.account_id
		JOIN items i ON i.id = n.item_id
		WHERE ba.account_id = $1 AND ` + isShown + ` AND (NOT $2 OR NOT EXISTS (
			SELECT FROM blinded_items v WHERE v.account_id = $1 AND v.item_id = n.item_id))
		ORDER BY n.submitted_at, n.id`},
	{"drafts", `SELECT p.key AS project, b.name AS batch, i.source_id AS item, d.answers, d.saved_at
		FROM drafts d JOIN assignments ba ON ba.id = d.assignment_id ` + ofBatch + ` JOIN items i ON i.id = ba.item_id
		WHERE ba.account_id = $1 AND ` + isShown + ` ORDER BY d.saved_at`},
	{"skips", `SELECT p.key AS project, b.name AS batch, i.source_id AS item,
		CASE WHEN s.is_personal AND NOT $2 THEN 'personal' ELSE s.reason END AS reason,
		CASE WHEN s.is_personal AND NOT $2 THEN '' ELSE s.comment END AS comment, s.created_at
		FROM skips s JOIN assignments ba ON ba.id = s.assignment_id ` + ofBatch + ` JOIN items i ON i.id = ba.item_id
		WHERE ba.account_id = $1 AND ` + isShown + ` ORDER BY s.created_at`},
	{"breaks", `SELECT p.key AS project, b.name AS batch, ba.planned, ba.started_at, ba.ended_at
		FROM breaks ba ` + ofBatch + ` WHERE ba.account_id = $1 ORDER BY ba.id`},
	{"calibrations", `SELECT p.key AS project, b.name AS batch, ba.attempt_no, ba.started_at, ba.completed_at,
		ba.missed_fields, ba.resolved_at, ba.reason, ba.is_practice
		FROM calibration_attempts ba ` + ofBatch + ` WHERE ba.account_id = $1 ORDER BY ba.started_at`},
	{"calibration_comments", `SELECT p.key AS project, b.name AS batch, i.source_id AS item, ba.message, ba.created_at
		FROM calibration_comments ba ` + ofBatch + ` JOIN items i ON i.id = ba.item_id
		WHERE ba.account_id = $1 ORDER BY ba.id`},
	{"guide_sections_read", `SELECT p.key AS project, b.name AS batch, ba.section, ba.read_at
		FROM guide_sections_read ba ` + ofBatch + ` WHERE ba.account_id = $1 ORDER BY ba.read_at`},
	{"questions", `SELECT p.key AS project, b.name AS batch, i.source_id AS item, q.message, q.created_at, q.answer,
		q.answered_at
		FROM questions q JOIN assignments ba ON ba.id = q.assignment_id ` + ofBatch + `
		JOIN items i ON i.id = ba.item_id
		WHERE (q.account_id = $1 OR q.answered_by = $1) AND ` + isShown + ` ORDER BY q.id`},
	{"correction_requests", `SELECT p.key AS project, b.name AS batch, i.source_id AS item, c.message, c.created_at,
		c.reopened, c.reply, c.resolved_at
		FROM correction_requests c JOIN assignments ba ON ba.id = c.assignment_id ` + ofBatch + `
		JOIN items i ON i.id = ba.item_id
		WHERE (c.created_by = $1 OR c.resolved_by = $1 OR c.created_by IS NULL AND ba.account_id = $1) AND ` + isShown + `
		ORDER BY c.id`},
	{"sheets", `SELECT p.key AS project, b.name AS batch, ba.created_at
		FROM sheets ba ` + ofBatch + ` WHERE ba.account_id = $1 ORDER BY ba.id`},
	{"announcements", `SELECT p.key AS project, b.name AS batch, ba.message, ba.created_at
		FROM announcements ba ` + ofBatch + ` WHERE ba.created_by = $1 ORDER BY ba.id`},
	{"announcements_read", `SELECT p.key AS project, b.name AS batch, k.acknowledged_at
		FROM announcement_acknowledgments k JOIN announcements ba ON ba.id = k.announcement_id ` + ofBatch + `
		WHERE k.account_id = $1 ORDER BY k.acknowledged_at`},
	{"decisions", `SELECT p.key AS project, i.source_id AS item, d.answers, d.observations, d.unsure, d.note, d.cause,
		d.reason, d.created_at
		FROM adjudications d JOIN projects p ON p.id = d.project_id JOIN items i ON i.id = d.item_id
		WHERE d.account_id = $1 ORDER BY d.id`},
	{"decision_drafts", `SELECT p.key AS project, i.source_id AS item, d.decision, d.saved_at
		FROM adjudication_drafts d ` + ofItem + ` WHERE d.account_id = $1 ORDER BY d.saved_at`},
	{"references", `SELECT p.key AS project, i.source_id AS item, d.answers, d.reasons, d.created_at
		FROM reference_answers d ` + ofItem + ` WHERE d.created_by = $1 ORDER BY d.created_at`},
	{"reference_drafts", `SELECT p.key AS project, i.source_id AS item, d.reference, d.saved_at
		FROM reference_drafts d ` + ofItem + ` WHERE d.account_id = $1 ORDER BY d.saved_at`},
	{"item_notes", `SELECT p.key AS project, i.source_id AS item, d.note, d.written_at
		FROM item_notes d ` + ofItem + ` WHERE d.written_by = $1 ORDER BY d.id`},
	{"item_tags", `SELECT p.key AS project, i.source_id AS item, d.tag, d.tagged_at
		FROM item_tags d ` + ofItem + ` WHERE d.tagged_by = $1 ORDER BY d.tagged_at`},
	{"answers_seen", `SELECT b.name AS batch, i.source_id AS item, r.revealed_at
		FROM answer_reveals r LEFT JOIN batches b ON b.id = r.batch_id LEFT JOIN items i ON i.id = r.item_id
		WHERE r.account_id = $1 ORDER BY r.revealed_at`},
	{"uploads", `SELECT p.key AS project, u.file_name, u.created_at
		FROM uploads u JOIN projects p ON p.id = u.project_id WHERE u.account_id = $1 ORDER BY u.created_at`},
	{"imports", `SELECT p.key AS project, m.file_name, m.item_count, m.created_at
		FROM imports m JOIN projects p ON p.id = m.project_id WHERE m.created_by = $1 ORDER BY m.id`},
	{"exports", `SELECT p.key AS project, e.created_at, e.finished_at
		FROM exports e JOIN projects p ON p.id = e.project_id WHERE e.account_id = $1 ORDER BY e.id`},
	{"audit_entries", `SELECT l.created_at, l.action, l.subject, coalesce(l.account_id = $1, false) AS is_own,
		CASE WHEN l.account_id = $1 THEN l.detail END AS detail
		FROM audit_log l WHERE l.account_id = $1 OR l.subject = 'account ' || $1::bigint ORDER BY l.id`},
}

const (
	ofBatch = `JOIN batches b ON b.id = ba.batch_id JOIN projects p ON p.id = b.project_id`
	isShown = `(NOT $2 OR b.closed_at IS NOT NULL)`
	ofItem  = `JOIN items i ON i.id = d.item_id JOIN projects p ON p.id = i.project_id`
)

// ExportAccount returns for an admin, or for the user, all that is stored about the user. Sections without rows are
// left out. An admin who labels the same items cannot read them; one who reads them has seen the answers.
func (db *DB) ExportAccount(ctx context.Context, actorID, id account.ID) (sections []AccountSection, err error) {
	isOwn := actorID == id
	if !isOwn {
		if err := db.revealItemsOf(ctx, actorID, id); err != nil {
			return nil, err
		}
	}
	err = db.inTxWith(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error {
		for _, s := range accountSections {
			rows, err := collectColumn[map[string]any](tx.Query(ctx, `
				SELECT jsonb_strip_nulls(to_jsonb(r))
				FROM (`+s.query+`) r
				WHERE $1::bigint IS NOT NULL AND $2::boolean IS NOT NULL`, id, isOwn))
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			if len(rows) > 0 {
				sections = append(sections, AccountSection{Name: s.name, Rows: rows})
			}
		}
		if len(sections) == 0 || sections[0].Name != accountSections[0].name {
			return fault.NotFound
		}
		return nil
	})
	return sections, err
}

// revealItemsOf records that an admin has now seen all answers of a user, or refuses it if they label one of the items.
func (db *DB) revealItemsOf(ctx context.Context, actorID, id account.ID) error {
	if err := requireAdmin(ctx, db.pool, actorID); err != nil {
		return err
	}
	items, err := collectAll[struct {
		ItemID  project.ItemID
		Blinded bool
	}](db.pool.Query(ctx, `
		SELECT i.item_id, EXISTS (
			SELECT FROM blinded_items v WHERE v.account_id = $2 AND v.item_id = i.item_id) AS blinded
		FROM (
			SELECT item_id FROM assignments WHERE account_id = $1
			UNION SELECT item_id FROM adjudications WHERE account_id = $1
			UNION SELECT item_id FROM reference_answers WHERE created_by = $1) i`, id, actorID))
	if err != nil {
		return err
	}
	ids := make([]project.ItemID, len(items))
	for i, item := range items {
		if ids[i] = item.ItemID; item.Blinded {
			return fault.Conflict.Errorf("You label items of this user in an open batch, so you must not see their answers yet. Ask another admin, or use the command.")
		}
	}
	return db.recordItemReveal(ctx, actorID, slices.Values(ids))
}
