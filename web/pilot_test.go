package web

import (
	"crypto/sha256"
	"encoding/csv"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

const pilotDataDir = "../../shared/data/items/"

// loadPilotItems returns the distinct items of the pilot of the source
// project, and ten other items for calibration.
func loadPilotItems(t *testing.T) (pilot, others []project.Item) {
	t.Helper()
	repeated := map[string]bool{}
	for _, row := range readPilotRows(t, "empathy_mapping.csv") {
		repeated[row[0]] = row[4] != ""
	}
	for _, row := range readPilotRows(t, "empathy.csv") {
		item := project.Item{SourceID: row[0], Facts: protocol.Facts{}, Content: project.Content{
			"user_statement": {Text: row[1]}, "response": {Text: row[2]}}}
		switch {
		case strings.HasPrefix(row[0], "pilot_") && !repeated[row[0]]:
			pilot = append(pilot, item)
		case !strings.HasPrefix(row[0], "pilot_") && len(others) < 10:
			others = append(others, item)
		}
	}
	return pilot, others
}

func readPilotRows(t *testing.T, name string) [][]string {
	t.Helper()
	file, err := os.Open(pilotDataDir + name)
	if err != nil {
		t.Skip("The items of the pilot are not here, so the pilot is not tested.")
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}

// newPilotProject creates the project of the pilot. Its reference answers are
// in the middle, so that a bias of one point always fits on the scale.
func (env testEnv) newPilotProject(lead account.Account, pilot, others []project.Item) project.Project {
	env.Helper()
	p, err := env.db.CreateProject(env.Context(), lead, project.Spec{Key: "pilot", Title: "Pilot", Protocol: "empathy",
		SupportURL: "https://support.example/"})
	if err != nil {
		env.Fatal(err)
	}
	if err := env.db.Import(env.Context(), lead.ID, p, postgres.File{Name: "empathy.csv",
		SHA256: sha256.Sum256([]byte("a"))}, pilot); err != nil {
		env.Fatal(err)
	}
	var references []importer.ReferenceRow
	for _, item := range others {
		references = append(references, importer.ReferenceRow{Item: item, Reference: labeling.Reference{
			Answers: protocol.Answers{Values: middleScores, Observations: []string{}, Unsure: []string{}},
			Reasons: map[string]string{protocol.NoteKey: "The middle of the scale."}}})
	}
	if err := env.db.ImportReferences(env.Context(), lead.ID, p, postgres.File{Name: "reference.jsonl",
		SHA256: sha256.Sum256([]byte("b"))}, references); err != nil {
		env.Fatal(err)
	}
	return p
}

// answerWithBias answers with the middle of the scale plus a bias plus noise.
// The noise depends on the item, so that a duplicate gets similar answers.
func answerWithBias(bias map[string]int, consistency float64) func(string) url.Values {
	rng := rand.New(rand.NewPCG(1, uint64(len(bias))))
	return func(item string) url.Values {
		hash := fnv.New64a()
		hash.Write([]byte(item))
		itemRNG := rand.New(rand.NewPCG(hash.Sum64(), 1))
		values := map[string]int{}
		for _, key := range []string{"emotion", "validation", "helpfulness", "safety", "overall"} {
			if values[key] = 3 + bias[key]; itemRNG.IntN(2) == 0 {
				values[key]--
			}
			if rng.Float64() > consistency {
				values[key] = 3
			}
			values[key] = max(values[key], 1)
		}
		return newAnswerForm(values, "a note")
	}
}

func TestPilot_TwoAnnotators_Completes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test is slow and runs only without -short.")
	}
	pilot, others := loadPilotItems(t)
	if len(pilot) != 150 || len(others) != 10 {
		t.Fatalf("%d distinct items and %d others, want 150 and 10", len(pilot), len(others))
	}
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	p := env.newPilotProject(lead, pilot, others)
	var annotators []*simulatedAnnotator
	var emails []string
	for i, bias := range []map[string]int{{"validation": 1}, {"safety": -2, "emotion": 1}} {
		a, b := env.newInvitedUser(fmt.Sprintf("a%d@example.org", i+1))
		k := &simulatedAnnotator{browser: b, account: a, answerItem: answerWithBias(bias, 0.9)}
		k.waitsForBreakEnd = func() bool { return k.breaks%2 == 1 }
		annotators, emails = append(annotators, k), append(emails, a.Email)
	}
	b := env.newBatchFromSpec(lead, p, project.BatchSpec{Name: "pilot", Annotators: emails, Overlap: 2, Seed: 2026,
		BreakEvery: 30, BreakMinutes: 5,
		CalibrationCount: project.UseDefault, DuplicateCount: project.UseDefault})
	if b.CalibrationCount != 10 || b.DuplicateCount != 10 || b.LabelsWanted != 300 {
		t.Fatalf("the batch is %+v", b)
	}
	var wg sync.WaitGroup
	for _, k := range annotators {
		wg.Go(k.labelAll)
	}
	wg.Wait()
	for _, k := range annotators {
		k.loadKinds()
		k.checkPilot(b)
	}
	if got, err := env.db.Batch(t.Context(), 0, p.ID, "pilot"); err != nil || got.LabelsGiven != 300 {
		t.Errorf("the batch is at %+v, %v", got, err)
	}
	env.checkExportCounts(p)
	env.signInAs(lead).get("/projects/pilot/batches/pilot/progress").checkStatus(200).checkContains("submitted 300")
	env.signInAs(lead).get("/projects/pilot/batches/pilot/calibration").checkStatus(200).checkContains("1 working")
}

func (k *simulatedAnnotator) checkPilot(b project.Batch) {
	k.Helper()
	if n := checkDuplicates(k.T, k); n != 10 || len(k.pages) != 170 {
		k.Errorf("%d duplicates among %d items, want 10 of 170", n, len(k.pages))
	}
	if k.breaks != 5 {
		k.Errorf("%d breaks, want one after each 30 of 170 items", k.breaks)
	}
	if n := query[int](k.testEnv, `SELECT count(*) FROM breaks WHERE account_id = $1
		AND completed`, k.account.ID); n != 3 {
		k.Errorf("%d breaks are completed, want 3", n)
	}
	if n := query[int](k.testEnv, `
		SELECT count(*) FROM annotations n
		WHERE n.account_id = $1 AND n.items_since_completed_break = n.sequence_no - 1 - coalesce((
		    SELECT max(r.after_sequence_no) FROM breaks r WHERE r.account_id = n.account_id AND r.completed
		    AND r.after_sequence_no < n.sequence_no), 0)`, k.account.ID); n != 170 {
		k.Errorf("%d of 170 annotations have the items since the last break", n)
	}
	for i, m := range k.pages {
		if (m.kind == "calibration") != (i < 10) {
			k.Errorf("item %d is of kind %s", i+1, m.kind)
		}
		if m.kind != "duplicate" {
			continue
		}
		original := slices.IndexFunc(k.pages, func(o shownItem) bool {
			return o.kind == "work" && itemText(o.page) == itemText(m.page)
		})
		if position := i - 9; original < 0 || 3*(i-original) < 160 || position <= 16 || (i+1)%30 == 0 || i%30 == 0 {
			k.Errorf("duplicate %d of 160 has its original at %d", position, original-9)
		}
	}
	k.checkReportedBias(b)
}

// checkReportedBias compares the bias shown to the annotator with their
// answers.
func (k *simulatedAnnotator) checkReportedBias(b project.Batch) {
	k.Helper()
	c, err := k.db.CalibrationResult(k.Context(), k.account.ID, b.ID)
	if err != nil {
		k.Fatal(err)
	}
	page := k.get("/work/calibration?batch=" + formatID(b.ID)).checkStatus(200)
	for _, bias := range c.Biases {
		want := query[float64](k.testEnv, `
			SELECT avg((n.answers ->> $2)::int - 3)::float8 FROM annotations n
			JOIN assignments a ON a.id = n.assignment_id
			WHERE a.kind = 'calibration' AND n.account_id = $1`, k.account.ID, bias.Field.Key)
		if bias.N != 10 || bias.Mean-want > 1e-9 || want-bias.Mean > 1e-9 {
			k.Errorf("the bias in %s is shown as %.2f over %d items, want %.2f", bias.Field.Key, bias.Mean,
				bias.N, want)
		}
		page.checkContains(bias.Message(locale.English))
	}
}

// checkExportCounts counts the rows of an export by kind.
func (env testEnv) checkExportCounts(p project.Project) {
	env.Helper()
	err := env.db.Snapshot(env.Context(), 0, p, func(s postgres.Snapshot) error {
		for kind, want := range map[dataset.AnnotationKind]int{dataset.Work: 300, dataset.Duplicate: 20,
			dataset.Calibration: 20} {
			if n, err := s.CountAnnotations(env.Context(), kind); err != nil || n != want {
				env.Errorf("the export has %d annotations of kind %s, want %d (%v)", n, kind, want, err)
			}
		}
		return nil
	})
	if err != nil {
		env.Error(err)
	}
}
