package postgres

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
)

// labelAll has an annotator label everything that is left for them.
func (w world) labelAll(accountID int64, s labeling.Submission) (n int) {
	w.t.Helper()
	for {
		token, err := w.Begin(w.t.Context(), accountID, 0)
		if err != nil || token == "" {
			return n
		}
		if _, err := w.Submit(w.t.Context(), accountID, token, s); err != nil {
			w.t.Fatal(err)
		}
		n++
	}
}

func TestAReportIsMadeOfItemsAndLabelsFromOneMoment(t *testing.T) {
	w := newWorld(t)
	emails, accounts := w.annotators(2)
	p := w.project("told", 3)
	w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 2})
	for _, a := range accounts {
		if n := w.labelAll(a.ID, good); n != 3 {
			t.Fatalf("%d labels, want 3", n)
		}
	}
	w.fill(p, 3, 1) // an item that is in no batch yet
	d, err := w.ReportData(t.Context(), p, "one")
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Items) != 4 || len(d.Labels) != 6 {
		t.Fatalf("%d items and %d labels", len(d.Items), len(d.Labels))
	}
	item, label := d.Items[0], d.Labels[0]
	if item.Source != "item-1" || item.Length != len("An answer.") || item.Same == "" || item.Same == d.Items[1].Same {
		t.Errorf("the item is %+v", item)
	}
	if label.Kind != report.Work || label.Annotator == "" || label.Values["helpful"] != 1 || label.ActiveMS != 1000 || label.Submitted.IsZero() {
		t.Errorf("the label is %+v", label)
	}
	reach, err := w.Reach(t.Context(), p)
	if err != nil || reach.Last != d.Labels[5].ID {
		t.Errorf("the labels reach %+v, %v; want %d", reach, err, d.Labels[5].ID)
	}
	if _, err := w.ReportData(t.Context(), p, "two"); !errors.Is(err, fault.NotFound) {
		t.Errorf("a batch that is not there: %v", err)
	}
}

func TestAReportKnowsConditionsRanksAndWhatIsJudged(t *testing.T) {
	w := newWorld(t)
	for _, tt := range []struct {
		protocol string
		content  project.Content
		want     report.Item
	}{
		{"rag-retrieval", project.Content{"query": {Text: "Why?"}, "chunk": {Passages: []project.Passage{{ID: "c", Rank: 3, Text: "Because."}}}}, report.Item{Rank: 3, Length: 8}},
		{"ambiguity", project.Content{"turns": {Turns: []project.Turn{{Role: "user", Text: "So?"}, {Role: "assistant", Text: "It is open."}}}}, report.Item{Length: 11}},
	} {
		p, err := w.CreateProject(t.Context(), w.admin, project.Draft{Key: tt.protocol, Title: "T", Protocol: tt.protocol})
		if err != nil {
			t.Fatal(err)
		}
		meta := map[string]json.RawMessage{"system": json.RawMessage(`"base"`), "run": json.RawMessage("2"), "list": json.RawMessage("[1]"), "none": json.RawMessage("null")}
		item := project.Item{SourceID: "x", RecordID: "r", Facts: project.FactsOf(p.Protocol, tt.content), Content: tt.content, Meta: meta}
		if err := w.Import(t.Context(), w.admin.ID, p, File{Name: "x", SHA256: sha256.Sum256([]byte(tt.protocol))}, []project.Item{item}); err != nil {
			t.Fatal(err)
		}
		d, err := w.ReportData(t.Context(), p, "")
		if err != nil {
			t.Fatal(err)
		}
		got := d.Items[0]
		if got.Rank != tt.want.Rank || got.Length != tt.want.Length || got.Record != "r" || got.Same == "" {
			t.Errorf("%s: the item is %+v", tt.protocol, got)
		}
		if len(got.Meta) != 2 || got.Meta["system"] != "base" || got.Meta["run"] != "2" {
			t.Errorf("%s: the metadata is %v", tt.protocol, got.Meta)
		}
		if tt.protocol == "ambiguity" && got.Facts["multi_turn"] != (protocol.Facts{})["multi_turn"] {
			t.Errorf("the facts are %v", got.Facts)
		}
	}
}

func TestAReportKnowsWhichItemsHaveTheirObservationsSettled(t *testing.T) {
	w := newWorld(t)
	p, _ := w.disputed("settled")
	item := int64(w.count(`SELECT min(id) FROM items`))
	before, err := w.ReportData(t.Context(), p, "")
	if err != nil || len(before.Observed) != 0 {
		t.Fatalf("before there is %v, %v", before.Observed, err)
	}
	if err := w.decide(w.admin, p, item, notHelpful); err != nil {
		t.Fatal(err)
	}
	after, err := w.ReportData(t.Context(), p, "")
	if observed, settled := after.Observed[item]; err != nil || !settled || len(observed) != 0 || len(after.Observed) != 1 {
		t.Errorf("after there is %v, %v", after.Observed, err)
	}
}
