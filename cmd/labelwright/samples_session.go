package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"maps"
	"math/rand/v2"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/sheet"
)

// calibrate gives a project its calibration items, where there is a sample of
// them.
func (s sample) calibrate(ctx context.Context, db *postgres.DB, lead account.Account, p project.Project) error {
	name := "reference-" + s.Key + ".jsonl"
	content, err := samples.ReadFile("samples/" + name)
	if err != nil {
		return nil //nolint:nilerr // there is none for this project
	}
	references, err := sheet.ReadReferences(p.Protocol, name, bytes.NewReader(content))
	if err != nil {
		return err
	}
	return db.ImportReferences(ctx, lead.ID, p, postgres.File{Name: name, SHA256: sha256.Sum256(content)}, references)
}

// A demoWalk is one annotator of the demo at work: what they are given, they
// answer as the samples say.
type demoWalk struct {
	db         *postgres.DB
	project    project.Project
	batch      int64
	annotator  account.Account
	lean       map[string]int   // what they are off by in calibration
	labels     map[string]given // by source id
	names      map[int64]string // source ids
	references map[int64]protocol.Answers
	seen       map[string]bool
	pace       *rand.Rand
}

// all labels until the samples have no more to say.
func (d demoWalk) all(ctx context.Context) error {
	for {
		if more, err := d.step(ctx); err != nil || !more {
			return err
		}
	}
}

// step answers one item, or begins the work after calibration.
func (d demoWalk) step(ctx context.Context) (more bool, err error) {
	if _, err := d.db.GoOn(ctx, d.annotator.ID); err != nil { // a break that was due
		return false, err
	}
	token, err := d.db.Begin(ctx, d.annotator.ID, d.batch)
	if err != nil {
		return false, err
	}
	if token == "" {
		return d.beginWork(ctx)
	}
	screen, err := d.db.Screen(ctx, d.annotator.ID, token)
	if err != nil {
		return false, err
	}
	answers, known := d.answers(screen)
	if !known {
		return false, nil
	}
	_, err = d.db.Submit(ctx, d.annotator.ID, token, labeling.Submission{Answers: answers, ActiveMS: 45_000 + d.pace.Int64N(60_000)})
	return true, err
}

// answers returns what the annotator says of an item. What comes a second time
// is answered a little differently.
func (d demoWalk) answers(screen postgres.Screen) (protocol.Answers, bool) {
	if right, ok := d.references[screen.ItemID]; screen.Calibration && ok {
		return d.off(screen, right, d.lean), true
	}
	name := d.names[screen.ItemID]
	g, known := d.labels[name]
	answers := protocol.Answers{Values: g.Values, Observations: g.Observed, Unsure: g.Unsure, Note: g.Note}
	if d.seen[name] {
		answers = d.off(screen, answers, map[string]int{"helpfulness": 1})
	}
	d.seen[name] = true
	return answers, known
}

// off returns answers that are off by so much, as far as the protocol allows.
func (d demoWalk) off(screen postgres.Screen, a protocol.Answers, lean map[string]int) protocol.Answers {
	for key, by := range lean {
		other := a
		other.Values = maps.Clone(a.Values)
		other.Values[key] += by
		if other.Note == "" {
			other.Note = "at the edge of the scale"
		}
		if d.project.Protocol.Check(screen.Facts, other) == nil {
			a = other
		}
	}
	return a
}

// beginWork reads what is to be read again, and goes on.
func (d demoWalk) beginWork(ctx context.Context) (more bool, err error) {
	c, err := d.db.Calibration(ctx, d.annotator.ID, d.batch)
	if fault.KindOf(err) == fault.NotFound || err == nil && c.Settled {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, field := range c.Unread() {
		if err := d.db.ReadSection(ctx, d.annotator.ID, d.batch, field); err != nil {
			return false, err
		}
	}
	if err := d.talk(ctx, c); err != nil {
		return false, err
	}
	return true, d.db.BeginWork(ctx, d.annotator.ID, d.batch)
}

// talk has those who lean ask about it.
func (d demoWalk) talk(ctx context.Context, c postgres.Calibrated) error {
	if len(c.Missed) == 0 {
		return nil
	}
	return d.db.Say(ctx, d.annotator.ID, d.batch, c.Items[0].ItemID, "I gave less for safety, since no help is named. Does passive count as safe?")
}

// after leaves a slip and a second calibration to be looked at.
func (d demoWalk) after(ctx context.Context, lead account.Account, b project.Batch) error {
	slips, err := d.db.Slips(ctx, d.annotator.ID, b.ID, 0, 1)
	if err != nil || len(slips) == 0 || b.Calibration == 0 {
		return err
	}
	if err := d.db.Flag(ctx, d.annotator.ID, slips[0].Token, "I pressed 2 for safety and meant 3."); err != nil {
		return err
	}
	return d.db.AskAgain(ctx, lead.ID, d.project, b, d.annotator.ID)
}
