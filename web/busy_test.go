package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"math/rand/v2"
	"net/url"
	"os"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/sheet"
)

// newBusyHouse is a house where work has been done: a project of samples that
// three people have labelled, and one with somebody in its calibration.
func newBusyHouse(t *testing.T) house {
	t.Helper()
	h := newHouse(t)
	for kind, email := range map[string]string{"peer": "ben@example.org", "resting": "cleo@example.org", "newcomer": "dot@example.org", "stranger": "eli@example.org"} {
		h.who[kind] = h.person(email, account.Annotator)
	}
	h.world.project(h.who["lead"], "spare", 5)
	h.labelSamples()
	h.calibrateNewcomer()
	return h
}

func (h house) labelSamples() {
	h.Helper()
	lead := h.who["lead"]
	p, err := h.db.CreateProject(h.Context(), lead, project.Draft{Key: "hard-days", Title: "Replies to hard days", Protocol: "empathy", SupportURL: "https://support.example/"})
	if err != nil {
		h.Fatal(err)
	}
	content, err := os.ReadFile("../cmd/labelwright/samples/empathy.jsonl")
	if err != nil {
		h.Fatal(err)
	}
	items, err := sheet.ReadItems(p.Protocol, "empathy.jsonl", bytes.NewReader(content))
	if err != nil {
		h.Fatal(err)
	}
	for i := range items {
		items[i].Meta = map[string]json.RawMessage{"condition": json.RawMessage([]string{`"baseline"`, `"new"`}[i%2])}
	}
	if err := h.db.Import(h.Context(), lead.ID, p, postgres.File{Name: "empathy.jsonl", SHA256: sha256.Sum256(content)}, items); err != nil {
		h.Fatal(err)
	}
	crew := []account.Account{h.who["annotator"], h.who["peer"], h.who["resting"]}
	b := h.handOut(lead, p, project.Handout{Name: "pilot", Annotators: []string{crew[0].Email, crew[1].Email, crew[2].Email}, Overlap: 3, Seed: 1, BreakMinutes: 5})
	for i, a := range crew {
		h.labelSome(a, b, len(items)-2*i)
	}
	token, err := h.db.Begin(h.Context(), h.who["resting"].ID, b.ID)
	if err == nil {
		err = h.db.TakeBreak(h.Context(), h.who["resting"].ID, token)
	}
	if err == nil {
		err = h.db.ShowHabits(h.Context(), lead.ID, p, true)
	}
	if err != nil {
		h.Fatal(err)
	}
}

// labelSome has somebody label n items: not at random, and not all alike.
func (h house) labelSome(a account.Account, b project.Batch, n int) {
	h.Helper()
	chance := rand.New(rand.NewPCG(1, uint64(a.ID)))
	for range n {
		token, err := h.db.Begin(h.Context(), a.ID, b.ID)
		if err != nil || token == "" {
			h.Fatalf("no item: %v", err)
		}
		screen, err := h.db.Screen(h.Context(), a.ID, token)
		if err != nil {
			h.Fatal(err)
		}
		answers := right(chance, screen.Protocol, screen.Facts)
		if chance.IntN(5) > 0 {
			answers = protocol.Answers{Values: map[string]int{}, Note: "It names the feeling, and offers one step."}
			for _, f := range screen.Protocol.Fields {
				answers.Values[f.Key] = 2 + int(screen.ItemID%2) + chance.IntN(2)
			}
		}
		if _, err := h.db.Submit(h.Context(), a.ID, token, labeling.Submission{Answers: answers, ActiveMS: 50_000 + chance.Int64N(40_000)}); err != nil {
			h.Fatal(err)
		}
	}
}

func (h house) calibrateNewcomer() {
	h.Helper()
	p := h.empathy(h.who["lead"], "calm", 3, 4)
	b := h.handOut(h.who["lead"], p, project.Handout{Name: "one", Annotators: []string{h.who["newcomer"].Email}, Overlap: 1, Calibration: 4})
	me := h.as(h.who["newcomer"])
	result := me.calibrates(map[string]int{"emotion": 3, "validation": 4, "helpfulness": 3, "safety": 1, "overall": 3}, "because")
	me.post("/work/calibration/say", url.Values{"batch": {id64(b.ID)}, "item": {firstItem(me.get(result))}, "says": {"Why is this a 3?"}}).leads("")
}
