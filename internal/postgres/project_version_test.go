package postgres

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

const warmth = `  - {key: warmth, title: Warmth, question: "How warm is it?", scale: {1: Cold, 2: Plain, 3: Warm}}
`

// moodProtocol returns a definition in a version, with more fields.
func moodProtocol(t *testing.T, version int, fields string) protocol.Protocol {
	t.Helper()
	p, err := protocol.Read("mood.yaml", fmt.Appendf(nil, `protocol: mood
version: %d
revision: 0
title: Mood
summary: How a reply sounds.
between: no
unit: {noun: a reply, id: reply_id, parts: [{key: text, title: Text, judged: yes}]}
fields:
  - {key: tone, title: Tone, question: "How does it sound?", scale: {1: Harsh, 2: Plain, 3: Kind}}
%splan: {calibration: 0, duplicates: 0, break every: 0, break minutes: 0, pace: 20..40, target: 0.4}
`, version, fields))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// newMoodStudy returns a project whose items have two labels each, on which the annotators differ in every third item.
func (env testEnv) newMoodStudy(items int) (project.Project, []account.Account) {
	env.t.Helper()
	env.mustPublish(account.Account{}, moodProtocol(env.t, 1, ""))
	emails, accounts := env.newAnnotators(2)
	p, err := env.CreateProject(env.t.Context(), env.admin, project.Spec{Key: "mood", Title: "Mood",
		Protocol: "mood@1"})
	if err != nil {
		env.t.Fatal(err)
	}
	list := make([]project.Item, items)
	for i := range list {
		list[i] = project.Item{SourceID: fmt.Sprint("r", i+1), Facts: protocol.Facts{},
			Content: project.Content{"text": {Text: fmt.Sprint("Reply ", i+1)}}}
	}
	if err := env.Import(env.t.Context(), env.admin.ID, p, File{Name: "r.jsonl"}, list); err != nil {
		env.t.Fatal(err)
	}
	env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2, Seed: 3})
	return p, accounts
}

// moodAnswer returns the answer of an annotator to the item of an assignment, as far as the protocol asks for it.
func (env testEnv) moodAnswer(place int, shift int, fields ...string) func(token string) labeling.Submission {
	return func(token string) labeling.Submission {
		n := query[int](env, `SELECT substr(i.source_id, 2)::integer FROM assignments a JOIN items i ON i.id = a.item_id
			WHERE a.token = $1`, token)
		values := map[string]int{}
		for _, f := range append(fields, "tone") {
			values[f] = 1 + (n+n%3*place)%2 + shift
		}
		return labeling.Submission{ActiveMS: 1, Answers: protocol.Answers{Values: values}}
	}
}

func (env testEnv) mustTakeVersion(p project.Project, t project.VersionTaking) project.Project {
	env.t.Helper()
	if err := env.TakeVersion(env.t.Context(), env.admin.ID, p, t); err != nil {
		env.t.Fatal(err)
	}
	return env.reloadProject(p)
}

func (env testEnv) inVersion(p project.Project, version int) project.Project {
	env.t.Helper()
	found, err := env.Project(env.t.Context(), env.admin, fmt.Sprintf("%s@%d", p.CurrentKey(), version))
	if err != nil {
		env.t.Fatal(err)
	}
	return found
}

func (env testEnv) mustClose(p project.Project, batch string) {
	env.t.Helper()
	if err := env.CloseBatch(env.t.Context(), env.admin.ID, p, batch, project.BatchClosing{Reason: "Done.",
		ReleaseOpen: true}); err != nil {
		env.t.Fatal(err)
	}
}

// labelsOf is what a project in a version knows of its labels, whatever items do later.
func (env testEnv) labelsOf(p project.Project) map[string]string {
	env.t.Helper()
	r := env.firstResults(p)
	labels := map[string]string{"report": r.Report}
	for name, text := range r.Files {
		if name != "items.jsonl" { // it has the present state
			labels[name] = text
		}
	}
	labels["report"] = strings.ReplaceAll(labels["report"], `"project":"mood@1"`, `"project":"mood"`)
	return labels
}

// What was labeled under a version stays with it: its report and its exports are the same whatever is labeled under the
// next one, and nothing of it is in theirs.
func TestTakeVersion_Labels_StayWithTheirVersion(t *testing.T) {
	env := newTestEnv(t)
	p, annotators := env.newMoodStudy(12)
	for i, a := range annotators {
		env.submitEach(a, env.moodAnswer(i, 0))
	}
	env.mustClose(p, "one")
	want := env.labelsOf(p)
	env.mustPublish(account.Account{}, moodProtocol(t, 2, warmth))
	p = env.mustTakeVersion(p, project.VersionTaking{Version: 2})
	earlier := env.inVersion(p, 1)
	if b, err := env.Batch(t.Context(), 0, p.ID, "one"); err != nil || b.ProtocolVersion != 1 {
		t.Errorf("the batch has version %d, %v", b.ProtocolVersion, err)
	}
	check := func(when string) {
		t.Helper()
		if diff := gocmp.Diff(want, env.labelsOf(earlier)); diff != "" {
			t.Fatalf("%s, version 1 differs (-before +after):\n%s", when, diff)
		}
	}
	check("after taking version 2")
	if text := env.labelsOf(p)["annotations.jsonl"]; text != "" {
		t.Errorf("version 2 starts with labels: %s", text)
	}
	env.newBatch(p, project.BatchSpec{Name: "again", Annotators: emailsOf(annotators), Overlap: 2,
		Round: project.RoundOfLabeled, Sample: project.Sample{Count: 8}, DuplicateCount: project.UseDefault})
	for i, a := range annotators {
		env.submitEach(a, env.moodAnswer(i, 1, "warmth"))
	}
	check("with a round under version 2")
	b, err := env.Batch(t.Context(), env.admin.ID, p.ID, "again")
	if err != nil {
		t.Fatal(err)
	}
	c, err := env.CompareRound(t.Context(), env.admin.ID, p, b)
	if err != nil || len(c.Fields) != 1 || c.Fields[0].Key != "tone" || *c.Fields[0].Shift.Value != 1 || c.Items != 8 ||
		c.Version != 2 || c.FirstVersions[0] != 1 {
		t.Errorf("the round says %+v, %v, want tone moved by 1 from version 1 to 2 on 8 items", c, err)
	}
	env.mustClose(p, "again")
	chosen := env.itemsInState(p, project.ItemEarlier)[:5]
	env.newBatch(p, project.BatchSpec{Name: "two", Annotators: emailsOf(annotators), Overlap: 2, ItemIDs: chosen})
	for i, a := range annotators {
		env.submitEach(a, env.moodAnswer(i, 0, "warmth"))
	}
	check("with labels under version 2")
	if n := strings.Count(env.labelsOf(p)["annotations.jsonl"], `"version":2`); n != 2*2*5 {
		t.Errorf("version 2 has %d answers, want two to each field of 5 items of two annotators", n)
	}
}

func (env testEnv) itemsInState(p project.Project, state project.ItemState) []project.ItemID {
	env.t.Helper()
	env.mustMeasure()
	ids, err := collectColumn[project.ItemID](env.pool.Query(env.t.Context(),
		`SELECT item_id FROM item_states WHERE project_id = $1 AND state = $2 ORDER BY item_id`, p.ID, state))
	if err != nil {
		env.t.Fatal(err)
	}
	return ids
}

// Items follow the version of their last batch: those with all labels wait to be chosen, those without get all of them
// under the new version, and what comes late under the earlier version does not touch an item that went on.
func TestTakeVersion_Items_FollowTheirLastBatch(t *testing.T) {
	env := newTestEnv(t)
	p, annotators := env.newMoodStudy(6)
	env.submitEach(annotators[0], env.moodAnswer(0, 0))
	for range 4 {
		env.mustSubmit(annotators[1], env.openItem(annotators[1]), env.moodAnswer(1, 0)(env.openItem(annotators[1])))
	}
	env.mustPublish(account.Account{}, moodProtocol(t, 2, warmth))
	p = env.mustTakeVersion(p, project.VersionTaking{Version: 2, CloseBatches: true})
	earlier, unassigned := env.itemsInState(p, project.ItemEarlier), env.itemsInState(p, project.ItemUnassigned)
	if len(earlier) != 5 || len(unassigned) != 1 { // one is open, and can still be submitted
		t.Fatalf("%d items of version 1 and %d unassigned, want 5 and 1", len(earlier), len(unassigned))
	}
	for name, err := range map[string]error{
		"reopening a batch of version 1": env.ReopenBatch(t.Context(), env.admin.ID, p, "one", "More."),
		"version 2 again":                env.TakeVersion(t.Context(), env.admin.ID, p, project.VersionTaking{Version: 2}),
		"a batch in version 1": func() error {
			_, err := env.OpenBatch(t.Context(), env.admin.ID, env.inVersion(p, 1), project.BatchSpec{Name: "old",
				Annotators: emailsOf(annotators), Overlap: 1})
			return err
		}(),
	} {
		if !errors.Is(err, fault.Conflict) {
			t.Errorf("%s: %v, want a conflict", name, err)
		}
	}
	late := env.openItem(annotators[1])
	env.mustSubmit(annotators[1], late, env.moodAnswer(1, 0)(late))
	token := query[string](env, `SELECT token FROM assignments WHERE item_id = $1 AND account_id = $2`, earlier[0],
		annotators[0].ID)
	env.newBatch(p, project.BatchSpec{Name: "two", Annotators: emailsOf(annotators), Overlap: 2,
		ItemIDs: []project.ItemID{earlier[0], unassigned[0]}})
	if got := env.stateOf(earlier[0]) + " " + env.stateOf(unassigned[0]); got != "in_progress in_progress" {
		t.Errorf("items in a batch of version 2 are %s", got)
	}
	env.execSQL(`INSERT INTO unmeasured_items (item_id, protocol_version_id)
		SELECT a.item_id, a.protocol_version_id FROM assignments a WHERE a.token = $1`, token)
	for i, a := range annotators {
		env.submitEach(a, env.moodAnswer(i, 0, "warmth"))
	}
	item, err := env.AdjudicationItem(t.Context(), env.admin.ID, p, earlier[1])
	if err != nil || item.Protocol.Version != 1 || len(item.Annotations) != 2 {
		t.Errorf("an item of version 1 is adjudicated under %d with %d labels, %v", item.Protocol.Version,
			len(item.Annotations), err)
	}
	state := env.stateOf(earlier[0])
	counts := query[string](env, `SELECT label_count || ' of ' || labels_wanted FROM item_states WHERE item_id = $1`,
		earlier[0])
	if counts != "2 of 2" || state != "disagreement" {
		t.Errorf("the item that was labeled again has %s labels and is %s", counts, state)
	}
}
