package postgres

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// Every method that an annotator uses refuses a removed one, and stores nothing.
func TestRemoveMember_Annotator_LosesEveryRight(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotator, submitted, open := env.newStartedBatch()
	env.updateProject(p, `content_warning = 'Sad texts.', show_rater_effects = true`)
	env.mustSaveDraft(annotator, open, 1, helpfulSubmission)
	env.mustRemove(p, annotator)
	const state = `SELECT string_agg(x, ' ' ORDER BY x) FROM (
		SELECT to_jsonb(a)::text AS x FROM assignments a UNION ALL SELECT to_jsonb(d)::text FROM drafts d UNION ALL
		SELECT to_jsonb(n)::text FROM annotations n
		UNION ALL SELECT to_jsonb(s)::text FROM slots s UNION ALL SELECT to_jsonb(k)::text FROM breaks k UNION ALL
		SELECT to_jsonb(c)::text FROM correction_requests c
		UNION ALL SELECT to_jsonb(m)::text FROM members m) t`
	before := query[string](env, state)

	ctx, id := t.Context(), annotator.ID
	for name, call := range map[string]func() error{
		"guide": func() error { _, err := env.Guide(ctx, annotator, p.Key, b.ID); return err },
		"submitted items": func() error {
			list, err := env.SubmittedItems(ctx, id, b.ID, 0, 10)
			return wantEmpty(list.Items, err)
		},
		"labeling screen":  func() error { _, err := env.LabelingScreen(ctx, id, open); return err },
		"submitted screen": func() error { _, err := env.LabelingScreen(ctx, id, submitted); return err },
		"submit":           func() error { _, err := env.Submit(ctx, id, open, helpfulSubmission); return err },
		"skip": func() error {
			_, err := env.Skip(ctx, id, open, labeling.Skip{Reason: labeling.Distressing})
			return err
		},
		"draft":             func() error { return env.SaveDraft(ctx, id, open, 2, unhelpfulSubmission) },
		"break before item": func() error { return env.StartBreak(ctx, id, open) },
		"break in batch":    func() error { return env.StartBreakInBatch(ctx, id, b.ID) },
		"correction":        func() error { return env.RequestCorrection(ctx, id, submitted, "I meant no") },
		"content warning":   func() error { _, err := env.RequiredReading(ctx, id, b.ID); return err },
		"acknowledge": func() error {
			return env.AcknowledgeReading(ctx, id, b.ID,
				project.ContentWarningDocument, 2)
		},
		"calibration result": func() error { _, err := env.CalibrationResult(ctx, id, b.ID); return err },
		"project":            func() error { _, err := env.Project(ctx, annotator, p.Key); return err },
		"rater effects":      func() error { return wantEmpty(env.RaterEffectProjects(ctx, id)) },
		"next item":          func() error { return wantNoToken(env.OpenNext(ctx, id, 0)) },
		"next item in batch": func() error { return wantNoToken(env.OpenNext(ctx, id, b.ID)) },
		"work": func() error {
			overview, err := env.WorkOverview(ctx, id)
			return wantEmpty(overview.Batches, err)
		},
	} {
		if err := call(); fault.KindOf(err) != fault.NotFound && fault.KindOf(err) != fault.Forbidden &&
			fault.KindOf(err) != fault.Conflict {
			t.Errorf("%s: error %v, want a refusal", name, err)
		}
	}
	for name, call := range map[string]func() error{
		"form after sign-out": func() error { return env.SaveSignedOutForm(ctx, open, 1, unhelpfulSubmission) },
		"form as draft":       func() error { return env.SaveFormAsDraft(ctx, open, unhelpfulSubmission) },
	} {
		if err := call(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if query[string](env, state) != before {
		t.Error("a refused call changed data")
	}
}

var errEmpty = fault.NotFound.Errorf("nothing")

func wantEmpty[T any](list []T, err error) error {
	if err == nil && len(list) == 0 {
		return errEmpty
	}
	return err
}

func wantNoToken(token string, err error) error {
	if err == nil && token == "" {
		return errEmpty
	}
	return err
}

// The labels of a removed annotator count, and the others label what was open, each item
// as often as the overlap says.
func TestRemoveMember_OpenItem_LabeledByOthers(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(3, 9, project.BatchSpec{Overlap: 2})
	for range 3 {
		env.submitItem(annotators[0])
	}
	open := env.openItem(annotators[0])
	env.mustSaveDraft(annotators[0], open, 1, helpfulSubmission)
	preview, err := env.PreviewRemoval(t.Context(), p, annotators[0].Email)
	if err != nil {
		t.Fatal(err)
	}
	removal := env.mustRemove(p, annotators[0])
	checkEqual(t, removal, preview)
	checkEqual(t, [4]int{removal.Labels, removal.ReturnedItems, removal.Drafts, removal.Corrections},
		[4]int{3, 3, 1, 0})
	env.checkCount(1, `audit_log WHERE action = 'project.remove_member' AND account_id = $1`, env.admin.ID)

	env.submitInTurns(annotators[1:])
	env.checkCount(0, `slots WHERE account_id IS NULL`)
	env.checkCount(18, `current_annotations`)
	env.checkCount(3, `current_annotations n JOIN assignments a ON a.id = n.assignment_id WHERE a.account_id = $1`,
		annotators[0].ID)
	env.checkCount(0, `(SELECT item_id FROM assignments WHERE state = 'submitted' GROUP BY item_id HAVING count(DISTINCT account_id) <> 2) t`)
	for id, row := range env.board(env.admin, b) {
		if (row.State == project.BoardRemoved) != (id == annotators[0].ID) || id == annotators[0].ID && row.Done != 3 {
			t.Errorf("row = %+v", row)
		}
	}
	// the admin, and two annotators
	if members, err := env.Members(t.Context(), p.ID); err != nil || len(members) != 3 {
		t.Errorf("%d members, error %v, want 3", len(members), err)
	}
}

// A member who is added again has the old pseudonym and draft, and continues.
func TestRemoveMember_AddedAgain_Continues(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotator, _, open := env.newStartedBatch()
	env.mustSaveDraft(annotator, open, 1, unhelpfulSubmission)
	removal := env.mustRemove(p, annotator)
	if _, err := env.RemoveMember(t.Context(), env.admin.ID, p, annotator.Email); fault.KindOf(err) != fault.NotFound {
		t.Errorf("removed twice: %v", err)
	}
	env.addMember(env.admin, p, annotator.Email, account.Annotator)
	env.checkCount(1, `members WHERE account_id = $1 AND pseudonym = $2 AND removed_at IS NULL`, annotator.ID,
		removal.Pseudonym)
	token := env.openItem(annotator)
	if token != open {
		t.Errorf("the next item is not the one that was open")
	}
	if s := env.screen(annotator, token); s.Draft.Values["helpful"] != 0 || len(s.Draft.Values) == 0 {
		t.Errorf("the draft is %+v", s.Draft)
	}
	env.submitAll(annotator, helpfulSubmission)
	planned := query[int](env, `SELECT expected_items FROM batch_annotators WHERE batch_id = $1
		AND account_id = $2`, b.ID, annotator.ID)
	env.checkCount(planned, `assignments WHERE batch_id = $1 AND account_id = $2 AND state = 'submitted'`, b.ID,
		annotator.ID)
}

// A reopened item keeps its submitted answers, and a break ends.
func TestRemoveMember_Reopened_KeepsLabel(t *testing.T) {
	env := newTestEnv(t)
	p, b, annotator, submitted, _ := env.newStartedBatch()
	env.reopenItem(p, b, annotator, submitted)
	if err := env.StartBreakInBatch(t.Context(), annotator.ID, b.ID); err != nil {
		t.Fatal(err)
	}
	removal := env.mustRemove(p, annotator)
	if removal.Labels != 1 || removal.Corrections != 1 {
		t.Errorf("removal %+v, want 1 label and 1 correction", removal)
	}
	env.checkCount(1, `current_annotations`)
	env.checkCount(0, `assignments WHERE reopened OR state = 'open'`)
	env.checkCount(0, `breaks WHERE ended_at IS NULL`)
}

// A submit waits for a removal and is refused; a removal waits for a submit and keeps the
// label.
func TestRemoveMember_DuringSubmit_NoneLostNoneAdded(t *testing.T) {
	env := newTestEnv(t)
	p, _, annotator, _, open := env.newStartedBatch()
	err := env.runWhileLocked(func(tx pgx.Tx) error {
		if err := lockBatchesOf(t.Context(), tx, p.ID, annotator.ID); err != nil {
			return err
		}
		return removeMember(t.Context(), tx, p.ID, annotator.ID)
	}, func() error {
		_, err := env.Submit(t.Context(), annotator.ID, open, helpfulSubmission)
		return err
	})
	if !errors.Is(err, labeling.ErrRemoved) {
		t.Errorf("error %v, want %v", err, labeling.ErrRemoved)
	}
	env.checkCount(1, `annotations`)

	env.addMember(env.admin, p, annotator.Email, account.Annotator)
	open = env.openItem(annotator)
	err = env.runWhileLocked(func(tx pgx.Tx) error {
		a, err := lockAssignment(t.Context(), tx, open)
		if err == nil && a.Removed {
			err = errors.New("the annotator is not a member")
		}
		return err
	}, func() error {
		_, err := env.RemoveMember(t.Context(), env.admin.ID, p, annotator.Email)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	env.checkCount(0, `assignments WHERE account_id = $1 AND state = 'open'`, annotator.ID)
}

// A removed lead leads nothing; an admin still leads the project.
func TestRemoveMember_Lead_LosesProject(t *testing.T) {
	env := newTestEnv(t)
	lead, p := env.newLeadProject("one")
	env.addLead(p, env.admin)
	removal, err := env.RemoveMember(t.Context(), lead.ID, p, lead.Email)
	if err != nil || removal.IsOnlyLead {
		t.Errorf("removal %+v, error %v", removal, err)
	}
	if _, err := env.Project(t.Context(), lead, p.Key); fault.KindOf(err) != fault.NotFound {
		t.Errorf("the removed lead gets %v", err)
	}
	if _, err := env.AddMember(t.Context(), lead.ID, p, account.NewAccount{Email: lead.Email, Name: "Lead",
		Role: account.Lead}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("the removed lead adds a member: %v", err)
	}
	if _, err := env.RemoveMember(t.Context(), lead.ID, p, env.admin.Email); fault.KindOf(err) != fault.NotFound {
		t.Errorf("the removed lead removes a member: %v", err)
	}
	if preview, err := env.PreviewRemoval(t.Context(), p, env.admin.Email); err != nil || !preview.IsOnlyLead {
		t.Errorf("preview %+v, error %v", preview, err)
	}
	env.mustRemove(p, env.admin)
	if _, err := env.Project(t.Context(), env.admin, p.Key); err != nil {
		t.Errorf("the admin gets %v", err)
	}
}

// mustRemove removes a member from a project.
func (env testEnv) mustRemove(p project.Project, a account.Account) MemberRemoval {
	env.t.Helper()
	removal, err := env.RemoveMember(env.t.Context(), env.admin.ID, p, a.Email)
	if err != nil {
		env.t.Fatal(err)
	}
	return removal
}
