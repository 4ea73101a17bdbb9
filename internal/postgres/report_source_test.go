package postgres

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
)

// TestBuildNextReport_RandomSteps_EqualsNew computes a report after each of many steps from the
// source of the one before, and without it.
func TestBuildNextReport_RandomSteps_EqualsNew(t *testing.T) {
	env := newTestEnv(t)
	random := rand.New(rand.NewPCG(7, 1))
	emails, annotators := env.newAnnotators(4)
	p, b := env.newWorld("next", random, emails, annotators, env.newUser("lead@example.org", account.Lead))
	env.updateProject(p, "allows_undo = true")
	sources := map[string]*ReportSource{}
	check := func(step string) {
		t.Helper()
		for _, batch := range []string{"", "one"} {
			options := report.BuildOptions{Resamples: 20, Seed: 1}
			next, source, err := env.BuildNextReport(t.Context(), ReportView{}, p, batch, options, sources[batch])
			if err != nil {
				t.Fatal(step, err)
			}
			if earlier := sources[batch]; earlier != nil && earlier.items == source.items && earlier.labels != source.labels {
				t.Errorf("%s: all labels were read again", step)
			}
			sources[batch] = source
			fresh, err := env.BuildReport(t.Context(), ReportView{}, p, batch, options)
			if err != nil {
				t.Fatal(step, err)
			}
			if got, want := writeReport(t, next), writeReport(t, fresh); got != want {
				t.Fatalf("%s, batch %q: the report from an earlier source differs: %d and %d labels", step, batch, next.full.Counts.Work, fresh.full.Counts.Work)
			}
		}
	}
	check("first")
	items := query[[]project.ItemID](env, `SELECT array_agg(id ORDER BY id) FROM items WHERE project_id = $1`, p.ID)
	for i := range 40 {
		a := annotators[random.IntN(len(annotators))]
		var step string
		switch action := random.IntN(8); action {
		case 0:
			step = "undo"
			_, _ = env.UndoSubmit(t.Context(), a.ID, b.ID, query[string](env, `SELECT coalesce((SELECT token FROM assignments WHERE account_id = $1 AND state = 'open'), '')`, a.ID))
		case 1:
			step = "reopen"
			if token := query[string](env, `SELECT coalesce((SELECT token FROM assignments WHERE account_id = $1 AND state = 'submitted' ORDER BY random() LIMIT 1), '')`, a.ID); token != "" {
				env.reopenItem(p, b, a, token)
			}
		case 2:
			step = "decide"
			_ = env.adjudicate(env.admin, p, items[random.IntN(len(items))], labeling.Decision{Answers: randomScores(random).Answers, Reason: "So."})
		case 3:
			step = "judge"
			if err := env.AddJudge(t.Context(), env.admin.ID, p, fmt.Sprint("judge ", i), []importer.ItemAnswers{{ItemID: items[i%len(items)], Values: randomScores(random).Answers.Values}}); err != nil {
				t.Fatal(err)
			}
		default:
			step = "submit"
			if token := env.openItem(a); token != "" {
				env.mustSubmit(a, token, randomScores(random))
			}
		}
		check(fmt.Sprintf("step %d, %s", i, step))
	}
	for _, kind := range []string{"work", "duplicate"} {
		if n := env.queryInt(`SELECT count(*) FROM annotations n JOIN assignments a ON a.id = n.assignment_id WHERE n.attempt_no > 1 AND a.kind = $1`, kind); n == 0 {
			t.Errorf("no %s label was replaced", kind)
		}
	}
	content := project.Content{"user_statement": {Text: "One more"}, "response": {Text: "So it is."}}
	if err := env.Import(t.Context(), env.admin.ID, p, File{Name: "more.jsonl", SHA256: [32]byte{1}}, []project.Item{{SourceID: "more", Facts: protocol.Facts{}, Content: content}}); err != nil {
		t.Fatal(err)
	}
	check("new item")
	env.closeBatch(p, b)
	check("closed batch")
	env.newBatch(p, project.BatchSpec{Name: "two", Annotators: emails[:2], Overlap: 2, Seed: 6})
	env.submitEach(annotators[0], func(string) labeling.Submission { return randomScores(random) })
	check("second batch")
}

func writeReport(t *testing.T, r *SharedReport) string {
	t.Helper()
	var text bytes.Buffer
	if err := r.full.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}
