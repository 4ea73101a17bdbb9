package postgres

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/round"
)

// A firstResults is everything that a study knows of its labels and items.
type firstResults struct {
	Report    string
	States    []string
	Available []project.ItemID
	Files     map[string]string
}

func (env testEnv) firstResults(p project.Project) (r firstResults) {
	env.t.Helper()
	env.mustMeasure()
	data, err := env.ReportData(env.t.Context(), env.admin.ID, p, "")
	if err != nil {
		env.t.Fatal(err)
	}
	built, err := report.Build(data, report.BuildOptions{Seed: 1})
	if err != nil {
		env.t.Fatal(err)
	}
	text, err := json.Marshal(built)
	if err != nil {
		env.t.Fatal(err)
	}
	r.Report = string(text)
	r.States, err = collectColumn[string](env.pool.Query(env.t.Context(),
		`SELECT to_json(s)::text FROM item_states s WHERE project_id = $1 ORDER BY item_id`, p.ID))
	if err != nil {
		env.t.Fatal(err)
	}
	r.Available, err = collectColumn[project.ItemID](env.pool.Query(env.t.Context(),
		`SELECT item_id FROM available_items WHERE project_id = $1 ORDER BY item_id`, p.ID))
	if err != nil {
		env.t.Fatal(err)
	}
	files := env.exportFiles(p, ExportOptions{Shape: dataset.Long, Format: dataset.JSONL, Contents: dataset.BothLabels})
	r.Files = map[string]string{}
	for _, name := range []string{"annotations.jsonl", "consensus.jsonl", "items.jsonl"} {
		r.Files[name] = files[name]
	}
	for _, layout := range []dataset.Layout{dataset.LabelStudio, dataset.Langfuse} {
		for name, text := range env.exportFiles(p, ExportOptions{Shape: dataset.Long, Format: dataset.JSONL,
			Layout: layout, Contents: dataset.BothLabels}) {
			if name != "manifest.json" && name != "README.md" { // they list the batches
				r.Files[string(layout)+name] = text
			}
		}
	}
	return r
}

// Whatever happens in a round, the first labels, what follows from them, and which items a batch can draw stay as they
// are.
func TestRound_Labels_CountNowhereElse(t *testing.T) {
	env := newTestEnv(t)
	random := rand.New(rand.NewPCG(3, 4))
	p, annotators := env.newScaleBatch(4, 12)
	for range 9 { // the others of this annotator close with fewer labels than they need
		env.mustSubmit(annotators[0], env.openItem(annotators[0]), randomScores(random))
	}
	for _, a := range annotators[1:] {
		env.submitEach(a, func(string) labeling.Submission { return randomScores(random) })
	}
	if err := env.CloseBatch(t.Context(), env.admin.ID, p, "one",
		project.BatchClosing{Reason: "Done.", ReleaseOpen: true}); err != nil {
		t.Fatal(err)
	}
	want := env.firstResults(p)
	check := func(when string) {
		t.Helper()
		if diff := gocmp.Diff(want, env.firstResults(p)); diff != "" {
			t.Fatalf("%s, the first results differ (-before +after):\n%s", when, diff)
		}
	}
	b := env.newBatch(p, project.BatchSpec{Name: "again", Annotators: emailsOf(annotators[:3]), Overlap: 2,
		Round: project.RoundOfLabeled, Sample: project.Sample{Count: 8}, DuplicateCount: project.UseDefault})
	check("with an open round")
	env.submitEach(annotators[0], func(string) labeling.Submission { return randomScores(random) })
	check("with labels of a round")
	for _, step := range []struct {
		when string
		do   func() error
	}{
		{"after removing an annotator", func() error {
			_, err := env.ChangeBatch(t.Context(), env.admin.ID, p, b.Name,
				project.BatchChange{Reason: "Ill.", Remove: []string{annotators[1].Email}})
			return err
		}},
		{"after closing", func() error {
			return env.CloseBatch(t.Context(), env.admin.ID, p, b.Name,
				project.BatchClosing{Reason: "Done.", ReleaseOpen: true})
		}},
		{"after reopening", func() error { return env.ReopenBatch(t.Context(), env.admin.ID, p, b.Name, "More.") }},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.when, err)
		}
		check(step.when)
	}
	env.submitEach(annotators[2], func(string) labeling.Submission { return randomScores(random) })
	check("with all labels of a round")
	rows := parseJSONL(t, env.exportFiles(p, ExportOptions{Shape: dataset.Long, Format: dataset.JSONL,
		Contents: dataset.BothLabels})["rounds.jsonl"])
	if len(rows) < 12 || rows[0]["kind"] != "round" || rows[0]["batch"] != "again" {
		t.Errorf("%d labels of a round are exported, the first is %v", len(rows), rows[0])
	}
	shown := 0
	for _, id := range query[[]project.ItemID](env, `SELECT array_agg(item_id) FROM batch_items WHERE batch_id = $1`, b.ID) {
		rounds, err := env.ItemRounds(t.Context(), env.admin.ID, p, id)
		if err != nil || len(rounds) > 1 {
			t.Fatalf("item %d has the rounds %+v, %v", id, rounds, err)
		}
		for _, r := range rounds {
			shown += len(r.Answers)
		}
	}
	checkEqual(t, shown, query[int](env, `SELECT count(*) FROM current_annotations WHERE kind = 'round'`))
}

func emailsOf(annotators []account.Account) (emails []string) {
	for _, a := range annotators {
		emails = append(emails, a.Email)
	}
	return emails
}

// A round draws items that have their labels, goes to the same people, and keeps its items.
func TestRound_Draws_LabeledItems(t *testing.T) {
	env := newTestEnv(t)
	p, annotators := env.newDisagreement()
	spec := project.BatchSpec{Name: "again", Annotators: emailsOf(annotators), Overlap: 2,
		Round: project.RoundOfDisagreements, DuplicateCount: project.UseDefault}
	if _, err := env.OpenBatch(t.Context(), env.admin.ID, p, spec); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a round of items of an open batch: %v", err)
	}
	one, err := env.Batch(t.Context(), 0, p.ID, "one")
	if err != nil {
		t.Fatal(err)
	}
	env.closeBatch(p, one)
	for _, change := range []func(*project.BatchSpec){
		func(s *project.BatchSpec) { s.DuplicateCount = 1 },
		func(s *project.BatchSpec) { s.GoldCount = 1 },
		func(s *project.BatchSpec) { s.Round = "all" },
		func(s *project.BatchSpec) { s.Sample.Count = 2 }, // only one item has a disagreement
	} {
		s := spec
		change(&s)
		if _, err := env.OpenBatch(t.Context(), env.admin.ID, p, s); fault.KindOf(err) == fault.Internal || err == nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
	b := env.newBatch(p, spec)
	if b.Items != 1 || b.RoundOf != project.RoundOfDisagreements {
		t.Fatalf("the round has %d items", b.Items)
	}
	sections, err := env.ExportAccount(t.Context(), annotators[0].ID, annotators[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sections {
		if s.Name == "labels" && len(s.Rows) != 2 {
			t.Errorf("during the round, an annotator can download %d own first labels, want 2 of 3", len(s.Rows))
		}
	}
	env.checkRefused("reopen", env.ReopenBatch(t.Context(), env.admin.ID, p, "one", "More."))
	for _, c := range []project.BatchChange{{AddItems: &project.Sample{Count: 1}}, {Labels: 3}} {
		c.Reason = "More."
		_, err := env.ChangeBatch(t.Context(), env.admin.ID, p, b.Name, c)
		env.checkRefused("change", err)
	}
	for _, a := range annotators {
		if n := env.submitAll(a, helpfulSubmission); n != 1 {
			t.Errorf("%s labels %d items again, want 1", a.Email, n)
		}
	}
	if _, err := env.CompareRound(t.Context(), env.admin.ID, p, one); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a comparison of a batch that is no round: %v", err)
	}
}

func (env testEnv) checkRefused(what string, err error) {
	env.t.Helper()
	if kind := fault.KindOf(err); err == nil || kind == fault.Internal {
		env.t.Errorf("%s: %v", what, err)
	}
}

// All rate the overall score one point higher in the round, and change nothing else.
func TestCompareRound_KnownShift_IsFound(t *testing.T) {
	env := newTestEnv(t)
	p, annotators := env.newScaleBatch(2, 24)
	score := func(overall int) labeling.Submission {
		return labeling.Submission{ActiveMS: 1, Answers: protocol.Answers{Note: "A reason.", Values: map[string]int{
			"emotion": 3, "validation": 3, "helpfulness": 3, "safety": 3, "overall": overall}}}
	}
	for _, a := range annotators {
		env.submitEach(a, func(token string) labeling.Submission { return score(2 + int(env.itemOf(token))%2) })
	}
	first, err := env.Batch(t.Context(), 0, p.ID, "one")
	if err != nil {
		t.Fatal(err)
	}
	env.closeBatch(p, first)
	b := env.newBatch(p, project.BatchSpec{Name: "again", Annotators: emailsOf(annotators), Overlap: 1,
		Round: project.RoundOfLabeled})
	for _, a := range annotators {
		env.submitEach(a, func(token string) labeling.Submission {
			return score(query[int](env, `SELECT max((answers ->> 'overall')::int) + 1
				FROM annotations WHERE item_id = $1`, env.itemOf(token)))
		})
	}
	if c, err := env.CompareRound(t.Context(), annotators[0].ID, p, b); err != nil || c.Items != 0 {
		t.Errorf("an annotator of the open round sees %d items, %v", c.Items, err)
	}
	c, err := env.CompareRound(t.Context(), env.admin.ID, p, b)
	if err != nil || c.Items != 24 || c.Labels != 24 || len(c.Moved) != 24 || c.Moved[0].Shifts["overall"] == 0 {
		t.Fatalf("comparison = %+v, %v", c, err)
	}
	for _, f := range c.Fields {
		want := round.Kept
		if f.Key == "overall" {
			want = round.Moved
		}
		if f.Verdict != want || f.Items != 24 {
			t.Errorf("%s: %s, shift %v", f.Key, f.Verdict, f.Shift)
		}
	}
	if !slices.ContainsFunc(c.Repeaters, func(r round.Repeater) bool {
		return r.Equal.Value != nil && *r.Equal.Value > 0.79 && *r.Equal.Value < 0.81 // four of five answers
	}) {
		t.Errorf("repeaters = %+v", c.Repeaters)
	}
}
