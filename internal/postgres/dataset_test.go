package postgres

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/sheet"
)

// exported returns the files of an export by name.
func (w world) exported(p project.Project, x Export) map[string]string {
	w.t.Helper()
	files := map[string]string{}
	_, err := w.Export(w.t.Context(), w.admin.ID, p, x, func(name string, write func(io.Writer) error) error {
		var file bytes.Buffer
		err := write(&file)
		files[name] = file.String()
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return files
}

// rowsOf reads JSONL.
func (w world) rowsOf(file string) (rows []map[string]any) {
	w.t.Helper()
	for line := range strings.Lines(file) {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			w.t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// calibrated makes a project whose annotators go through a set, meet items
// twice, and set some aside.
func (w world) calibrated(key string) (project.Project, project.Batch, []account.Account) {
	w.t.Helper()
	emails, accounts := w.annotators(3)
	p := w.project(key, 24)
	w.set(p, `warning = 'Sad texts.', support_url = 'https://support.example/'`)
	w.references(p, 4)
	return p, w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 2, Seed: 3, Duplicates: 3, Calibration: 4}), accounts
}

// goesOn begins the work of an annotator who is through a calibration set.
func (w world) goesOn(a account.Account) {
	w.t.Helper()
	w.exec(`UPDATE calibration_runs SET settled_at = clock_timestamp() WHERE account_id = $1 AND done_at IS NOT NULL AND settled_at IS NULL`, a.ID)
}

// same fails the test unless got is want.
func same(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEachKindOfAnnotationHasAFileOfItsOwn(t *testing.T) {
	w := newWorld(t)
	p, _, accounts := w.calibrated("kinds")
	for more := true; more; {
		more = false
		for _, a := range accounts {
			more = w.step(a) || more
			w.goesOn(a)
		}
	}
	for _, shape := range []sheet.Shape{sheet.Long, sheet.Wide} {
		files := w.exported(p, Export{Shape: shape, Format: sheet.JSONL, Consensus: true})
		same(t, slices.Sorted(maps.Keys(files)), []string{"README.md", "annotations.jsonl", "calibration.jsonl", "codebook.csv", "consensus.jsonl", "duplicates.jsonl", "manifest.json"})
		for name, kind := range map[string]string{"annotations": "work", "duplicates": "duplicate", "calibration": "calibration"} {
			found := map[any]bool{}
			for _, row := range w.rowsOf(files[name+".jsonl"]) {
				if found[row["annotation"]] = true; row["kind"] != kind {
					t.Errorf("%s, %s: a row of kind %v", shape, name, row["kind"])
				}
			}
			if want := w.count(`SELECT count(*) FROM annotations n JOIN assignments a ON a.id = n.assignment_id WHERE a.kind = $1`, kind); len(found) != want || want == 0 {
				t.Errorf("%s, %s: %d annotations, want %d", shape, name, len(found), want)
			}
		}
	}
}

// Whoever was distressed is nobody's business, and neither is who set what aside.
func TestNoExportTellsWhoSetWhatAside(t *testing.T) {
	w := newWorld(t)
	p, _, accounts := w.calibrated("aside")
	for n, more := 0, true; more; n++ {
		more = false
		for i, a := range accounts {
			token := w.begin(a)
			if w.goesOn(a); token == "" {
				continue
			}
			more = true
			reason := labeling.Aside{Reason: labeling.Distressing}
			if i == 1 {
				reason = labeling.Aside{Reason: labeling.OutsideExpertise, Word: "a canary's word"}
			}
			var err error
			if n%5 == 4 {
				_, err = w.SetAside(t.Context(), a.ID, token, reason)
			} else {
				_, err = w.Submit(t.Context(), a.ID, token, good)
			}
			if err != nil {
				t.Fatal(err)
			}
			w.goesOn(a)
		}
	}
	if w.count(`SELECT count(*) FROM set_aside WHERE reason = 'distressing'`) < 3 {
		t.Fatal("hardly anything was set aside")
	}
	for _, shape := range []sheet.Shape{sheet.Long, sheet.Wide} {
		for _, format := range []sheet.Format{sheet.CSV, sheet.JSONL} {
			for name, file := range w.exported(p, Export{Shape: shape, Format: format, Consensus: true, Texts: true, Exact: true}) {
				for _, secret := range []string{"distress", "outside_expertise", "set_aside", "canary", "@example.org", "Name of"} {
					if strings.Contains(file, secret) {
						t.Errorf("%s, %s tells %q", shape, name, secret)
					}
				}
			}
		}
	}
}

func TestAReopenedItemIsExportedWithBothAnswers(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(1)
	p := w.project("reopened", 3)
	b := w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 1})
	me, token := accounts[0], w.begin(accounts[0])
	if _, err := w.Submit(t.Context(), me.ID, token, good); err != nil {
		t.Fatal(err)
	}
	w.past(25)
	if err := w.Flag(t.Context(), me.ID, token, "I meant no"); err != nil {
		t.Fatal(err)
	}
	flags, err := w.Flags(t.Context(), b.ID)
	if err == nil {
		err = w.Reopen(t.Context(), w.admin.ID, p, b, flags[0].ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.finish(me)
	rows := w.rowsOf(w.exported(p, Export{Shape: sheet.Wide, Format: sheet.JSONL})["annotations.jsonl"])
	byID := map[any]map[string]any{}
	for _, row := range rows {
		byID[row["annotation"]] = row
	}
	found := 0
	for _, row := range rows {
		old := byID[row["replaces"]]
		if old == nil {
			continue
		}
		found++
		if old["current"] != false || row["current"] != true || old["item"] != row["item"] || row["attempt"] != 2.0 || row["sitting_minutes"] != 25.0 || old["sitting_minutes"] != 0.0 {
			t.Errorf("%v\nreplaces\n%v", row, old)
		}
	}
	if len(rows) != 4 || found != 1 {
		t.Errorf("%d rows, %d of which replace another; want 4 and 1", len(rows), found)
	}
}

func TestTheConsensusSaysWhereEachAnswerComesFrom(t *testing.T) {
	w := newWorld(t)
	p, _ := w.disputed("settled")
	w.fill(p, 3, 1) // in no batch
	sources := func() map[string]int {
		found := map[string]int{}
		for _, row := range w.rowsOf(w.exported(p, Export{Shape: sheet.Long, Format: sheet.JSONL, Consensus: true})["consensus.jsonl"]) {
			found[row["source"].(string)]++
			if (row["value"] == nil) != (row["source"] == "tied") || row["answers"] != 2.0 {
				t.Errorf("%v", row)
			}
		}
		return found
	}
	apart := 0
	for key, value := range good.Answers.Values {
		if unhelpful.Answers.Values[key] != value {
			apart++
		}
	}
	fields := len(p.Protocol.Fields)
	same(t, sources(), map[string]int{"unanimous": 3*fields - apart, "tied": apart})
	item := int64(w.count(`SELECT min(id) FROM items WHERE project_id = $1`, p.ID))
	if err := w.decide(w.admin, p, item, helpful); err != nil {
		t.Fatal(err)
	}
	same(t, sources(), map[string]int{"unanimous": 2 * fields, "adjudicated": fields})
}

func TestWhatNobodyAnsweredIsUnresolved(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(2)
	p := w.project("open", 2)
	w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 2})
	w.step(accounts[0])
	found := map[any]any{}
	for _, row := range w.rowsOf(w.exported(p, Export{Shape: sheet.Wide, Format: sheet.JSONL, Consensus: true})["consensus.jsonl"]) {
		found[row["helpful.source"]] = row["helpful.answers"]
	}
	same(t, found, map[any]any{"single": 1.0, "unresolved": 0.0})
}

func TestTheTrailKnowsOfExportsAndOfSigningIn(t *testing.T) {
	w := newWorld(t)
	p := w.project("trail", 1)
	w.exported(p, Export{Shape: sheet.Wide, Format: sheet.CSV, Sealed: true})
	entries, err := w.Trail(t.Context(), "project.export", 0, 10)
	if err != nil || len(entries) != 1 || entries[0].Who != "Name of admin@example.org" || entries[0].Subject != "project trail" || entries[0].Detail["sealed"] != true {
		t.Errorf("%+v, %v", entries, err)
	}
	hash, err := account.Hash(t.Context(), "a quiet morning tram")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.SetPassword(t.Context(), 0, w.admin.ID, hash); err != nil {
		t.Fatal(err)
	}
	for _, try := range [][2]string{{"admin@example.org", "a quiet morning tram"}, {"admin@example.org", "a loud one"}, {"canary@example.org", "a quiet morning tram"}} {
		_, _ = w.SignIn(t.Context(), try[0], try[1], "")
	}
	if in, err := w.Trail(t.Context(), "account.sign_in", 0, 10); err != nil || len(in) != 1 || in[0].Who != "Name of admin@example.org" {
		t.Errorf("%+v, %v", in, err)
	}
	failed, err := w.Trail(t.Context(), "account.sign_in_failed", 0, 10)
	if err != nil || len(failed) != 2 || failed[0].Subject != "" || failed[1].Subject != accountSubject(w.admin.ID) {
		t.Errorf("%+v, %v", failed, err)
	}
	if n := w.count(`SELECT count(*) FROM audit WHERE audit::text LIKE '%canary%' OR audit::text LIKE '%loud%'`); n != 0 {
		t.Error("the trail keeps what was typed")
	}
}

// Who tries passwords by the thousand fills no trail: it tells of an account,
// and of all addresses that are nobody's together, once in a quarter of an hour.
func TestTheTrailTellsOfGuessesOnceInAWhile(t *testing.T) {
	w := newWorld(t)
	for n := range 20 {
		for _, email := range []string{"admin@example.org", fmt.Sprintf("nobody%d@example.org", n)} {
			_, _ = w.SignIn(t.Context(), email, "a loud one", "")
		}
	}
	if n := w.count(`SELECT count(*) FROM audit WHERE action = 'account.sign_in_failed'`); n != 2 {
		t.Errorf("the trail has %d entries, want 2", n)
	}
}
