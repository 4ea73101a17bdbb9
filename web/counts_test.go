package web

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/agreement"
	"github.com/labelwright/labelwright/web/htmltest"
)

// Every place that counts the labels of a running study shows the same numbers as its rows, also the labels that
// a kept rule adds, the skipped, open and stuck ones.
func TestCounts_RunningStudy_AreEqualEverywhere(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	p := env.newProject(lead, "p", 12)
	var emails []string
	var annotators []account.Account
	for i := range 3 {
		annotators = append(annotators, env.newUser(fmt.Sprintf("a%d@example.org", i), account.Annotator))
		emails = append(emails, annotators[i].Email)
	}
	b := env.newBatch(lead, p, "first", 2, emails...)
	change := project.BatchChange{Reason: "Disagreements.", Rule: &project.OverlapRule{MinDifference: 1, MostLabels: 4},
		KeepRule: true}
	if _, err := env.db.ChangeBatch(t.Context(), lead.ID, p, b.Name, change); err != nil {
		t.Fatal(err)
	}
	for i, a := range annotators {
		env.label(a, b, i%2, 5)
	}
	env.checkCounts(lead, p, b)
	for _, a := range annotators[:2] {
		token, err := env.db.OpenNext(t.Context(), a.ID, b.ID)
		if err == nil {
			_, err = env.db.Skip(t.Context(), a.ID, token, labeling.Skip{Reason: labeling.Unclear,
				Comment: "Which source?"})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	env.checkCounts(lead, p, b)
	for i, a := range annotators {
		env.labelAll(a, b, i%2)
	}
	env.checkCounts(lead, p, b)
	if counts := env.countsOf(p); counts.Stuck == 0 || counts.LabelsWanted <= 24 {
		t.Errorf("the study has no stuck label or the rule added none: %+v", counts)
	}
}

// countsOf counts the labels of the only batch of a project from its rows.
func (env testEnv) countsOf(p project.Project) project.LabelCounts {
	env.Helper()
	b, err := env.db.Batch(env.Context(), 0, p.ID, "first")
	if err != nil {
		env.Fatal(err)
	}
	rows := project.LabelCounts{
		Items:        query[int](env, `SELECT count(*) FROM batch_items WHERE batch_id = $1`, b.ID),
		LabelsWanted: query[int](env, `SELECT count(*) FROM slots WHERE batch_id = $1`, b.ID),
		LabelsGiven: query[int](env, `SELECT count(DISTINCT (item_id, account_id)) FROM annotations
			WHERE batch_id = $1`, b.ID),
		InProgress: query[int](env, `SELECT count(*) FROM assignments WHERE batch_id = $1 AND state = 'open'`, b.ID),
		Deferred:   b.Deferred, Withheld: b.Withheld, Stuck: b.Stuck,
	}
	if b.LabelCounts != rows {
		env.Errorf("the batch counts %+v, its rows %+v", b.LabelCounts, rows)
	}
	return rows
}

func (env testEnv) checkCounts(lead account.Account, p project.Project, b project.Batch) {
	env.Helper()
	env.refreshBatchStates()
	n, home := env.countsOf(p), "/projects/"+p.Key
	of := fmt.Sprintf("%d of %d", n.LabelsGiven, n.LabelsWanted)
	board := home + "/batches/" + b.Name
	browser := env.signInAs(lead)
	for path, wants := range map[string][]string{
		"/inbox":            {of},
		home:                {of},
		board:               {of, fmt.Sprintf("submitted %d", n.LabelsGiven), fmt.Sprintf("waiting %d", n.Waiting())},
		board + "/progress": {fmt.Sprintf("wanted %d", n.LabelsWanted), fmt.Sprintf("submitted %d", n.LabelsGiven)},
		board + "/close":    {fmt.Sprintf("%d labels are missing", n.Missing())},
		home + "/export":    {fmt.Sprintf("%d labels", n.LabelsGiven)},
	} {
		text := browser.get(path).FindFirst("main").Text()
		for _, want := range wants {
			if !regexp.MustCompile(strings.ReplaceAll(want, " ", `\s*`) + `(\D|$)`).MatchString(text) {
				env.Errorf("%s does not say %q: %s", path, want, text)
			}
		}
	}
	client := env.newToken(lead, leadScopes, p.Key)
	body := client.get(home + "/batches/" + b.Name).body
	for _, want := range []string{fmt.Sprintf(`"labels_wanted":%d,`, n.LabelsWanted), fmt.Sprintf(`"labels_given":%d,`,
		n.LabelsGiven), fmt.Sprintf(`"open_items":%d,`, n.InProgress)} {
		if !strings.Contains(strings.ReplaceAll(body, " ", ""), want) {
			env.Errorf("the API does not say %s: %s", want, body)
		}
	}
}

// refreshBatchStates does what the background job does.
func (env testEnv) refreshBatchStates() {
	env.Helper()
	for refreshed := true; refreshed; {
		env.execSQL(`UPDATE batch_states SET computed_at = computed_at - interval '1 minute'`)
		var err error
		if refreshed, err = env.db.RefreshBatchState(env.Context()); err != nil {
			env.Fatal(err)
		}
	}
}

// κ of a field, its interval, its items and its verdict are the same on the board, in all parts of the report and for
// programs.
func TestKappa_FinishedStudy_IsEqualEverywhere(t *testing.T) {
	t.Parallel()
	s := newReportFixture(t, 24)
	s.labelAll()
	s.refreshBatchStates()
	lead, home := s.signInAs(s.lead), "/projects/"+s.project.Key
	want := kappaRows(lead.waitForReport(home + "/report"))
	if len(want) != 5 {
		t.Fatalf("the summary has κ of %d fields", len(want))
	}
	for _, path := range []string{"/report/agreement", "/report/full", "/report/customer", "/batches/pilot"} {
		if diff := gocmp.Diff(want, kappaRows(lead.waitForReport(home+path))); diff != "" {
			t.Errorf("%s (-summary +there):\n%s", path, diff)
		}
	}
	var answer struct{ Fields []agreement.Field }
	body := s.newToken(s.lead, leadScopes, s.project.Key).get(home + "/report").body
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		t.Fatal(err)
	}
	if len(answer.Fields) != len(want) {
		t.Errorf("the API has %d fields", len(answer.Fields))
	}
	for _, f := range answer.Fields {
		for _, figure := range []string{f.Kappa.Text(), f.Kappa.Range(), fmt.Sprintf("%d items", f.Kappa.Items)} {
			if row := want[f.Title]; !strings.Contains(row, figure) {
				t.Errorf("the API says %s for %s, the pages %q", figure, f.Title, row)
			}
		}
	}
}

// kappaRows returns the rows of the plot of κ on a page by field.
func kappaRows(d interface {
	FindAll(string) []htmltest.Element
}) map[string]string {
	rows := map[string]string{}
	for _, figure := range d.FindAll("figure.forest") {
		if figure.FindFirst("thead th").Text() == "κ" {
			for _, row := range figure.FindAll("tbody tr") {
				rows[row.FindFirst("th").Text()] = row.Text()
			}
		}
	}
	return rows
}
