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
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// newLabeledFixture returns a fixture with labels: a project of samples that
// three annotators have labeled, and one with an annotator in calibration.
func newLabeledFixture(t *testing.T) projectFixture {
	t.Helper()
	h := newProjectFixture(t)
	for kind, email := range map[string]string{"peer": "ben@example.org", "on break": "cleo@example.org",
		"newcomer": "dot@example.org", "stranger": "eli@example.org"} {
		h.accounts[kind] = h.newUser(email, account.Annotator)
	}
	h.addMembers(h.testEnv.newProject(h.accounts["lead"], "spare", 5), account.Annotator, h.accounts["annotator"].Email,
		h.accounts["peer"].Email)
	h.labelSamples()
	h.calibrateNewcomer()
	return h
}

// addJudge adds a judge that has answered all items of a project.
func (h projectFixture) addJudge(key, name string) {
	h.Helper()
	p, err := h.db.Project(h.Context(), h.accounts["lead"], key)
	if err != nil {
		h.Fatal(err)
	}
	items, err := h.db.ItemsBySourceID(h.Context(), p.ID)
	if err != nil {
		h.Fatal(err)
	}
	var judgments []importer.ItemAnswers
	for _, item := range items {
		judgments = append(judgments, importer.ItemAnswers{ItemID: item.ID,
			Values: map[string]int{p.Protocol.Fields[0].Key: int(item.ID % 2)}})
	}
	if err := h.db.AddJudge(h.Context(), h.accounts["lead"].ID, p, name, judgments); err != nil {
		h.Fatal(err)
	}
}

func (h projectFixture) labelSamples() {
	h.Helper()
	lead := h.accounts["lead"]
	p, err := h.db.CreateProject(h.Context(), lead, project.Spec{Key: "hard-days", Title: "Replies to hard days",
		Protocol: "empathy", SupportURL: "https://support.example/"})
	if err != nil {
		h.Fatal(err)
	}
	content, err := os.ReadFile("../cmd/labelwright/samples/empathy.jsonl")
	if err != nil {
		h.Fatal(err)
	}
	items, err := importer.ReadItems(p.Protocol, "empathy.jsonl", bytes.NewReader(content))
	if err != nil {
		h.Fatal(err)
	}
	for i := range items {
		items[i].Meta = map[string]json.RawMessage{"condition": json.RawMessage([]string{`"baseline"`, `"new"`}[i%2])}
	}
	if err := h.db.Import(h.Context(), lead.ID, p, postgres.File{Name: "empathy.jsonl", SHA256: sha256.Sum256(content)},
		items); err != nil {
		h.Fatal(err)
	}
	annotators := []account.Account{h.accounts["annotator"], h.accounts["peer"], h.accounts["on break"]}
	b := h.newBatchFromSpec(lead, p, project.BatchSpec{Name: "pilot", Annotators: []string{annotators[0].Email,
		annotators[1].Email, annotators[2].Email}, Overlap: 3, Seed: 1, BreakMinutes: 5})
	for i, a := range annotators {
		h.submitItems(a, b, len(items)-2*i)
	}
	token, err := h.db.OpenNext(h.Context(), h.accounts["on break"].ID, b.ID)
	if err == nil {
		err = h.db.StartBreak(h.Context(), h.accounts["on break"].ID, token)
	}
	if err == nil {
		err = h.db.SetShowRaterEffects(h.Context(), lead.ID, p, true)
	}
	if err != nil {
		h.Fatal(err)
	}
}

// submitItems makes an annotator submit n items with varying answers.
func (h projectFixture) submitItems(a account.Account, b project.Batch, n int) {
	h.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(a.ID)))
	for range n {
		token, err := h.db.OpenNext(h.Context(), a.ID, b.ID)
		if err != nil || token == "" {
			h.Fatalf("no item: %v", err)
		}
		screen, err := h.db.LabelingScreen(h.Context(), a.ID, token)
		if err != nil {
			h.Fatal(err)
		}
		answers := drawValidAnswers(rng, screen.Protocol, screen.Facts)
		if rng.IntN(5) > 0 {
			answers = protocol.Answers{Values: map[string]int{}, Note: "It names the feeling, and offers one step."}
			for _, f := range screen.Protocol.Fields {
				answers.Values[f.Key] = 2 + int(screen.ItemID%2) + rng.IntN(2)
			}
		}
		if _, err := h.db.Submit(h.Context(), a.ID, token, labeling.Submission{Answers: answers,
			ActiveMS: 50_000 + rng.Int64N(40_000)}); err != nil {
			h.Fatal(err)
		}
	}
}

func (h projectFixture) calibrateNewcomer() {
	h.Helper()
	p := h.newEmpathyProject(h.accounts["lead"], "calm", 3, 4)
	b := h.newBatchFromSpec(h.accounts["lead"], p, project.BatchSpec{Name: "one",
		Annotators: []string{h.accounts["newcomer"].Email}, Overlap: 1, CalibrationCount: 4})
	newcomerBrowser := h.signInAs(h.accounts["newcomer"])
	result := newcomerBrowser.submitCalibration(map[string]int{"emotion": 3, "validation": 4, "helpfulness": 3,
		"safety": 1, "overall": 3}, "because")
	newcomerBrowser.post("/work/calibration/comments", url.Values{"batch": {formatID(b.ID)},
		"item": {firstItemID(newcomerBrowser.get(result))}, "message": {"Why is this a 3?"}}).checkRedirect("")
}
