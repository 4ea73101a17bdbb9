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
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

//go:embed samples/*.jsonl
var sampleFiles embed.FS

// A demoProject is one project of the demo: its items, and labels that its three
// annotators have given so far.
type demoProject struct {
	project.ProjectSpec
	itemsFile  string
	labelsFile string
}

var demoProjects = []demoProject{
	{project.ProjectSpec{Key: "ambiguity", Title: "Open questions, held open", Protocol: "ambiguity"}, "ambiguity", "labels-ambiguity"},
	{project.ProjectSpec{Key: "retrieval", Title: "Handbook search: what was found", Protocol: "rag-retrieval"}, "rag", "labels-rag-retrieval"},
	{project.ProjectSpec{Key: "grounding", Title: "Handbook search: what the answers rest on", Protocol: "rag-grounding"}, "rag", "labels-rag-grounding"},
	{project.ProjectSpec{Key: "generation", Title: "Handbook search: how good the answers are", Protocol: "rag-generation"}, "rag", "labels-rag-generation"},
	{project.ProjectSpec{Key: "empathy", Title: "Replies to hard days", Protocol: "empathy", SupportURL: "https://support.example/"}, "empathy", "labels-empathy"},
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
		if err := s.create(ctx, db, lead); err != nil {
			return fmt.Errorf("%s: %w", s.Key, err)
		}
	}
	return nil
}

func (s demoProject) create(ctx context.Context, db *postgres.DB, lead account.Account) error {
	p, err := db.CreateProject(ctx, lead, s.ProjectSpec)
	if err != nil {
		return err
	}
	name := s.itemsFile + ".jsonl"
	content, err := sampleFiles.ReadFile("samples/" + name)
	if err != nil {
		return err
	}
	items, err := importer.ReadItems(p.Protocol, name, bytes.NewReader(content))
	if err != nil {
		return err
	}
	if err := db.Import(ctx, lead.ID, p, postgres.File{Name: name, SHA256: sha256.Sum256(content)}, items); err != nil {
		return err
	}
	if err := s.importReferences(ctx, db, lead, p); err != nil {
		return err
	}
	labels, err := s.readLabels(p.Protocol, items)
	if err != nil {
		return err
	}
	spec := project.BatchSpec{Name: "pilot", Overlap: 3, Seed: demoSeed, CalibrationCount: project.UseDefault, DuplicateCount: project.UseDefault,
		BreakEvery: p.Protocol.Plan.BreakEveryItems, BreakMinutes: p.Protocol.Plan.BreakMinutes}
	for _, user := range demoUsers[2:] {
		spec.Annotators = append(spec.Annotators, user.Email)
	}
	batch, err := db.OpenBatch(ctx, lead.ID, p, spec)
	if err != nil {
		return err
	}
	if err := submitLabels(ctx, db, lead, p, batch, spec.Annotators, labels); err != nil {
		return err
	}
	return s.importAdjudications(ctx, db, p, items)
}

// A sampleLabel is a label of the samples.
type sampleLabel struct {
	Item         string         `json:"item"`
	Annotator    int            `json:"annotator"` // from 1
	Values       map[string]int `json:"answers"`
	Observations []string       `json:"observations"`
	Unsure       []string       `json:"unsure"`
	Note         string         `json:"note"`
}

// readLabels returns the sample's labels. Those of records name them by line, and a
// chunk within by "#" and its id.
func (s demoProject) readLabels(p protocol.Protocol, items []project.Item) ([]sampleLabel, error) {
	content, err := sampleFiles.ReadFile("samples/" + s.labelsFile + ".jsonl")
	if err != nil {
		return nil, err
	}
	names := itemNames(p, items)
	var labels []sampleLabel
	for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan(); {
		var g sampleLabel
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			return nil, fmt.Errorf("%s, label %d: %w", s.labelsFile, len(labels)+1, err)
		}
		if g.Item = names[g.Item]; g.Item == "" {
			return nil, fmt.Errorf("%s, label %d: there is no such item", s.labelsFile, len(labels)+1)
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
		switch p.Unit.RecordKind {
		case protocol.RecordRAG:
			names[fmt.Sprint(line)] = item.SourceID
		case protocol.RecordRAGByChunk:
			names[fmt.Sprintf("%d#%s", line, item.Content["chunk"].Chunks[0].ID)] = item.SourceID
		default:
			names[item.SourceID] = item.SourceID
		}
	}
	return names
}

// demoBiases is what the annotators of the demo are off by in calibration.
var demoBiases = []map[string]int{{"validation": 1}, {"safety": -2}, {}}

// submitLabels has each annotator give their labels.
func submitLabels(ctx context.Context, db *postgres.DB, lead account.Account, p project.Project, b project.Batch, emails []string, labels []sampleLabel) error {
	names, references, err := loadItems(ctx, db, p)
	if err != nil {
		return err
	}
	for i, email := range emails {
		a, err := db.AccountByEmail(ctx, email)
		if err != nil {
			return err
		}
		walker := demoAnnotator{db: db, project: p, batchID: b.ID, account: a, biases: demoBiases[i], labelsBySource: map[string]sampleLabel{}, sourceIDs: names,
			references: references, seenSources: map[string]bool{}, random: rand.New(rand.NewPCG(demoSeed, uint64(a.ID)))}
		var order []string
		for _, g := range labels {
			if g.Annotator == i+1 {
				order, walker.labelsBySource[g.Item] = append(order, g.Item), g
			}
		}
		if err := db.MoveToFront(ctx, b.ID, a.ID, order); err != nil {
			return err
		}
		if err := walker.labelAll(ctx); err != nil {
			return fmt.Errorf("%s: %w", email, err)
		}
		if i == 1 {
			if err := walker.requestReview(ctx, lead, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// loadItems returns the names of a project's items, and the references of those
// of calibration.
func loadItems(ctx context.Context, db *postgres.DB, p project.Project) (names map[project.ItemID]string, references map[project.ItemID]protocol.Answers, err error) {
	names, references = map[project.ItemID]string{}, map[project.ItemID]protocol.Answers{}
	items, err := db.Items(ctx, p.ID, 0, 1000)
	if err != nil {
		return nil, nil, err
	}
	for _, item := range items {
		names[item.ID] = item.SourceID
	}
	referenceItems, err := db.References(ctx, p.ID)
	for _, g := range referenceItems {
		references[g.ID] = g.Answers
	}
	return names, references, err
}
