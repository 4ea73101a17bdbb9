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

// A demoProject is a sample project: its items, and the labels of its three annotators.
type demoProject struct {
	project.Spec
	itemsFile  string
	labelsFile string
}

var demoProjects = []demoProject{
	{project.Spec{Key: "ambiguity", Title: "Ambiguity pilot", Protocol: "ambiguity"}, "ambiguity", "labels-ambiguity"},
	{project.Spec{Key: "retrieval", Title: "RAG retrieval", Protocol: "rag-retrieval", Instructions: demoInstructions},
		"rag", "labels-rag-retrieval"},
	{project.Spec{Key: "grounding", Title: "RAG grounding", Protocol: "rag-grounding", Instructions: demoInstructions},
		"rag", "labels-rag-grounding"},
	{project.Spec{Key: "generation", Title: "RAG generation", Protocol: "rag-generation",
		Instructions: demoInstructions}, "rag", "labels-rag-generation"},
	{project.Spec{Key: "empathy", Title: "Empathy pilot", Protocol: "empathy", SupportURL: "https://support.example/"},
		"empathy", "labels-empathy"},
}

// demoInstructions are the rules that the questions of the RAG protocols refer to.
const demoInstructions = `The system answers questions of employees from the company handbook.

## Rules of the system

- It answers from the retrieved context only. Without support it says that it does not know.
- It does not give legal, tax or medical advice. It names the contact person instead.

## Citations

A citation is a number in brackets after the sentence, such as [1]: the rank of the chunk it comes from.

## Unsafe content

Personal data of employees, passwords, and instructions that could hurt someone.
`

// demoSeed makes all demos equal.
const demoSeed = 2026

// fillDemo creates the sample projects, and labels a part of them through the same
// methods as the server.
func fillDemo(ctx context.Context, db *postgres.DB) error {
	lead, err := db.AccountByEmail(ctx, "lead@demo.example")
	if err != nil {
		return err
	}
	for _, d := range demoProjects {
		if err := d.create(ctx, db, lead); err != nil {
			return fmt.Errorf("%s: %w", d.Key, err)
		}
	}
	return nil
}

func (d demoProject) create(ctx context.Context, db *postgres.DB, lead account.Account) error {
	p, err := db.CreateProject(ctx, lead, d.Spec)
	if err != nil {
		return err
	}
	name := d.itemsFile + ".jsonl"
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
	if err := d.importReferences(ctx, db, lead, p); err != nil {
		return err
	}
	labels, err := d.readLabels(p.Protocol, items)
	if err != nil {
		return err
	}
	spec := project.BatchSpec{Name: "pilot", Overlap: 3, Seed: demoSeed, CalibrationCount: project.UseDefault,
		DuplicateCount: project.UseDefault,
		BreakEvery:     p.Protocol.Plan.BreakEveryItems, BreakMinutes: p.Protocol.Plan.BreakMinutes,
		FewerCalibration: "The sample data has few reference answers."}
	for _, user := range demoUsers[2:] {
		if _, err := db.AddMember(ctx, lead.ID, p, user); err != nil {
			return err
		}
		spec.Annotators = append(spec.Annotators, user.Email)
	}
	batch, err := db.OpenBatch(ctx, lead.ID, p, spec)
	if err != nil {
		return err
	}
	if err := submitLabels(ctx, db, lead, p, batch, spec.Annotators, labels); err != nil {
		return err
	}
	return d.importAdjudications(ctx, db, p, items)
}

// A sampleLabel is one label of a sample file.
type sampleLabel struct {
	Item         string         `json:"item"`
	Annotator    int            `json:"annotator"` // from 1
	Values       map[string]int `json:"answers"`
	Observations []string       `json:"observations"`
	Unsure       []string       `json:"unsure"`
	Note         string         `json:"note"`
}

// readLabels returns the labels of the sample with the items' own ids.
func (d demoProject) readLabels(p protocol.Protocol, items []project.Item) ([]sampleLabel, error) {
	content, err := sampleFiles.ReadFile("samples/" + d.labelsFile + ".jsonl")
	if err != nil {
		return nil, err
	}
	names := itemNames(p, items)
	var labels []sampleLabel
	for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan(); {
		var label sampleLabel
		if err := json.Unmarshal(lines.Bytes(), &label); err != nil {
			return nil, fmt.Errorf("%s, label %d: %w", d.labelsFile, len(labels)+1, err)
		}
		if label.Item = names[label.Item]; label.Item == "" {
			return nil, fmt.Errorf("%s, label %d: unknown item", d.labelsFile, len(labels)+1)
		}
		labels = append(labels, label)
	}
	return labels, nil
}

// itemNames returns the items' own ids by their names in sample files: for a RAG record
// its line, for a chunk "LINE#CHUNK".
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

// demoBiases are the calibration biases of the annotators.
var demoBiases = []map[string]int{{"validation": 1}, {"safety": -2}, {}}

// submitLabels submits the labels of each annotator.
func submitLabels(ctx context.Context, db *postgres.DB, lead account.Account, p project.Project, b project.Batch,
	emails []string, labels []sampleLabel) error {
	names, references, err := loadItems(ctx, db, p)
	if err != nil {
		return err
	}
	for i, email := range emails {
		a, err := db.AccountByEmail(ctx, email)
		if err != nil {
			return err
		}
		annotator := demoAnnotator{db: db, project: p, batchID: b.ID, account: a, biases: demoBiases[i],
			labelsBySource: map[string]sampleLabel{}, sourceIDs: names,
			references: references, seenSources: map[string]bool{},
			random: rand.New(rand.NewPCG(demoSeed, uint64(a.ID)))}
		var order []string
		for _, label := range labels {
			if label.Annotator == i+1 {
				order, annotator.labelsBySource[label.Item] = append(order, label.Item), label
			}
		}
		if err := db.MoveToFront(ctx, b.ID, a.ID, order); err != nil {
			return err
		}
		if err := annotator.labelAll(ctx); err != nil {
			return fmt.Errorf("%s: %w", email, err)
		}
		if i == 1 {
			if err := annotator.requestReview(ctx, lead, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// loadItems returns the own ids of a project's items, and the reference answers of its calibration items.
func loadItems(ctx context.Context, db *postgres.DB, p project.Project) (names map[project.ItemID]string,
	references map[project.ItemID]protocol.Answers, err error) {
	names, references = map[project.ItemID]string{}, map[project.ItemID]protocol.Answers{}
	items, err := db.Items(ctx, p.ID, 0, 1000)
	if err != nil {
		return nil, nil, err
	}
	for _, item := range items {
		names[item.ID] = item.SourceID
	}
	referenceItems, err := db.References(ctx, p.ID)
	for _, r := range referenceItems {
		references[r.ID] = r.Answers
	}
	return names, references, err
}
