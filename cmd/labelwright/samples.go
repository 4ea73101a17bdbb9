package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/sheet"
)

//go:embed samples/*.jsonl
var samples embed.FS

// A sample is one project of the demo: its items, and labels that its three
// annotators have given so far.
type sample struct {
	project.Draft
	items  string
	labels string
}

var demoProjects = []sample{
	{project.Draft{Key: "ambiguity", Title: "Open questions, held open", Protocol: "ambiguity"}, "ambiguity", "labels-ambiguity"},
	{project.Draft{Key: "retrieval", Title: "Handbook search: what was found", Protocol: "rag-retrieval"}, "rag", "labels-rag-retrieval"},
	{project.Draft{Key: "grounding", Title: "Handbook search: what the answers rest on", Protocol: "rag-grounding"}, "rag", "labels-rag-grounding"},
	{project.Draft{Key: "generation", Title: "Handbook search: how good the answers are", Protocol: "rag-generation"}, "rag", "labels-rag-generation"},
	{project.Draft{Key: "empathy", Title: "Replies to hard days", Protocol: "empathy", SupportURL: "https://support.example/"}, "empathy", "labels-empathy"},
}

// demoSeed makes every demo the same.
const demoSeed = 2026

// fillDemo makes the projects of the demo, and has its annotators label a part
// of them, by the same doors as everybody else.
func fillDemo(ctx context.Context, db *postgres.DB) error {
	lead, err := db.AccountByEmail(ctx, "lead@demo.example")
	if err != nil {
		return err
	}
	for _, s := range demoProjects {
		if err := s.fill(ctx, db, lead); err != nil {
			return fmt.Errorf("%s: %w", s.Key, err)
		}
	}
	return nil
}

func (s sample) fill(ctx context.Context, db *postgres.DB, lead account.Account) error {
	p, err := db.CreateProject(ctx, lead, s.Draft)
	if err != nil {
		return err
	}
	name := s.items + ".jsonl"
	content, err := samples.ReadFile("samples/" + name)
	if err != nil {
		return err
	}
	items, err := sheet.ReadItems(p.Protocol, name, bytes.NewReader(content))
	if err != nil {
		return err
	}
	if err := db.Import(ctx, lead.ID, p, postgres.File{Name: name, SHA256: sha256.Sum256(content)}, items); err != nil {
		return err
	}
	if err := s.calibrate(ctx, db, lead, p); err != nil {
		return err
	}
	labels, err := s.read(p.Protocol, items)
	if err != nil {
		return err
	}
	h := project.Handout{Name: "pilot", Overlap: 3, Seed: demoSeed, Calibration: project.AsPlanned, Duplicates: project.AsPlanned,
		BreakEvery: p.Protocol.Plan.BreakEvery, BreakMinutes: p.Protocol.Plan.BreakMinutes}
	for _, person := range demoPeople[2:] {
		h.Annotators = append(h.Annotators, person.Email)
	}
	batch, err := db.OpenBatch(ctx, lead.ID, p, h)
	if err != nil {
		return err
	}
	if err := replay(ctx, db, lead, p, batch, h.Annotators, labels); err != nil {
		return err
	}
	return s.settle(ctx, db, p, items)
}

// A given is a label of the samples.
type given struct {
	Item      string         `json:"item"`
	Annotator int            `json:"annotator"` // from 1
	Values    map[string]int `json:"answers"`
	Observed  []string       `json:"observations"`
	Unsure    []string       `json:"unsure"`
	Note      string         `json:"note"`
}

// read returns the sample's labels. Those of records name them by line, and a
// chunk within by "#" and its id.
func (s sample) read(p protocol.Protocol, items []project.Item) ([]given, error) {
	content, err := samples.ReadFile("samples/" + s.labels + ".jsonl")
	if err != nil {
		return nil, err
	}
	names := itemNames(p, items)
	var labels []given
	for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan(); {
		var g given
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			return nil, fmt.Errorf("%s, label %d: %w", s.labels, len(labels)+1, err)
		}
		if g.Item = names[g.Item]; g.Item == "" {
			return nil, fmt.Errorf("%s, label %d: there is no such item", s.labels, len(labels)+1)
		}
		labels = append(labels, g)
	}
	return labels, nil
}

// itemNames returns source ids by the names that sample labels use.
func itemNames(p protocol.Protocol, items []project.Item) map[string]string {
	names, line, record := map[string]string{}, 0, ""
	for _, item := range items {
		if item.RecordID != record {
			line, record = line+1, item.RecordID
		}
		switch p.Unit.Record {
		case protocol.RAG:
			names[fmt.Sprint(line)] = item.SourceID
		case protocol.RAGByChunk:
			names[fmt.Sprintf("%d#%s", line, item.Content["chunk"].Passages[0].ID)] = item.SourceID
		default:
			names[item.SourceID] = item.SourceID
		}
	}
	return names
}

// demoLeans is what the annotators of the demo are off by in calibration.
var demoLeans = []map[string]int{{"validation": 1}, {"safety": -2}, {}}

// replay has each annotator give their labels.
func replay(ctx context.Context, db *postgres.DB, lead account.Account, p project.Project, b project.Batch, emails []string, labels []given) error {
	names, references, err := itemsOf(ctx, db, p)
	if err != nil {
		return err
	}
	for i, email := range emails {
		a, err := db.AccountByEmail(ctx, email)
		if err != nil {
			return err
		}
		d := demoWalk{db: db, project: p, batch: b.ID, annotator: a, lean: demoLeans[i], labels: map[string]given{}, names: names,
			references: references, seen: map[string]bool{}, pace: rand.New(rand.NewPCG(demoSeed, uint64(a.ID)))}
		var first []string
		for _, g := range labels {
			if g.Annotator == i+1 {
				first, d.labels[g.Item] = append(first, g.Item), g
			}
		}
		if err := db.LayFirst(ctx, b.ID, a.ID, first); err != nil {
			return err
		}
		if err := d.all(ctx); err != nil {
			return fmt.Errorf("%s: %w", email, err)
		}
		if i == 1 {
			if err := d.after(ctx, lead, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// itemsOf returns the names of a project's items, and the references of those
// of calibration.
func itemsOf(ctx context.Context, db *postgres.DB, p project.Project) (names map[int64]string, references map[int64]protocol.Answers, err error) {
	names, references = map[int64]string{}, map[int64]protocol.Answers{}
	items, err := db.Items(ctx, p.ID, 0, 1000)
	if err != nil {
		return nil, nil, err
	}
	for _, item := range items {
		names[item.ID] = item.SourceID
	}
	given, err := db.References(ctx, p.ID)
	for _, g := range given {
		references[g.ID] = g.Answers
	}
	return names, references, err
}
