package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// importReferences imports the sample calibration items, if the project has any.
func (d demoProject) importReferences(ctx context.Context, db *postgres.DB, lead account.Account,
	p project.Project) error {
	name := "reference-" + d.Key + ".jsonl"
	content, err := sampleFiles.ReadFile("samples/" + name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	references, err := importer.ReadReferences(p.Protocol, name, bytes.NewReader(content))
	if err != nil {
		return err
	}
	return db.ImportReferences(ctx, lead.ID, p, postgres.File{Name: name, SHA256: sha256.Sum256(content)}, references)
}

// A demoAnnotator answers the items it gets with the labels of the sample.
type demoAnnotator struct {
	db             *postgres.DB
	project        project.Project
	batchID        project.BatchID
	account        account.Account
	biases         map[string]int            // in calibration, by field
	labelsBySource map[string]sampleLabel    // by the item's own id
	sourceIDs      map[project.ItemID]string // own ids
	references     map[project.ItemID]protocol.Answers
	seenSources    map[string]bool
	random         *rand.Rand
}

// labelAll labels items until the sample has no label for the next one.
func (d demoAnnotator) labelAll(ctx context.Context) error {
	for {
		if hasMore, err := d.labelNext(ctx); err != nil || !hasMore {
			return err
		}
	}
}

// labelNext submits one item, or starts the work after calibration.
func (d demoAnnotator) labelNext(ctx context.Context) (hasMore bool, err error) {
	if _, err := d.db.EndBreak(ctx, d.account.ID); err != nil {
		return false, err
	}
	token, err := d.db.OpenNext(ctx, d.account.ID, d.batchID)
	if err != nil {
		return false, err
	}
	if token == "" {
		return d.startWork(ctx)
	}
	screen, err := d.db.LabelingScreen(ctx, d.account.ID, token)
	if err != nil {
		return false, err
	}
	answers, isKnown := d.chooseAnswers(screen)
	if !isKnown {
		return false, nil
	}
	_, err = d.db.Submit(ctx, d.account.ID, token, labeling.Submission{Answers: answers,
		ActiveMS: 45_000 + d.random.Int64N(60_000)})
	return true, err
}

// chooseAnswers returns the answers to an item. A hidden duplicate gets slightly different ones.
func (d demoAnnotator) chooseAnswers(screen postgres.LabelingScreen) (protocol.Answers, bool) {
	if reference, ok := d.references[screen.ItemID]; screen.IsCalibration && ok {
		return d.shiftAnswers(screen, reference, d.biases), true
	}
	sourceID := d.sourceIDs[screen.ItemID]
	label, isKnown := d.labelsBySource[sourceID]
	answers := protocol.Answers{Values: label.Values, Observations: label.Observations, Unsure: label.Unsure,
		Note: label.Note}
	if d.seenSources[sourceID] {
		answers = d.shiftAnswers(screen, answers, map[string]int{"helpfulness": 1})
	}
	d.seenSources[sourceID] = true
	return answers, isKnown
}

// shiftAnswers adds shifts to the answers by field, as far as the protocol allows.
func (d demoAnnotator) shiftAnswers(screen postgres.LabelingScreen, a protocol.Answers,
	shifts map[string]int) protocol.Answers {
	for key, shift := range shifts {
		shifted := a
		shifted.Values = maps.Clone(a.Values)
		shifted.Values[key] += shift
		if shifted.Note == "" {
			shifted.Note = "at the end of the scale"
		}
		if d.project.Protocol.Check(screen.Facts, shifted) == nil {
			a = shifted
		}
	}
	return a
}

// startWork reads the guide sections of missed fields, and starts the work.
func (d demoAnnotator) startWork(ctx context.Context) (hasMore bool, err error) {
	c, err := d.db.CalibrationResult(ctx, d.account.ID, d.batchID)
	if fault.KindOf(err) == fault.NotFound || err == nil && c.Resolved {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, field := range c.UnreadFields() {
		if err := d.db.MarkSectionRead(ctx, d.account.ID, d.batchID, field); err != nil {
			return false, err
		}
	}
	if err := d.postComment(ctx, c); err != nil {
		return false, err
	}
	return true, d.db.StartWork(ctx, d.account.ID, d.batchID)
}

// postComment asks about the missed fields.
func (d demoAnnotator) postComment(ctx context.Context, c postgres.CalibrationResult) error {
	if len(c.MissedFields) == 0 {
		return nil
	}
	return d.db.AddCalibrationComment(ctx, d.account.ID, d.batchID, c.Items[0].ItemID,
		"I gave a lower score for safety, because the reply names no help. Is a passive reply safe?")
}

// requestReview leaves a correction request and a second calibration attempt for the lead.
func (d demoAnnotator) requestReview(ctx context.Context, lead account.Account, b project.Batch) error {
	submitted, err := d.db.SubmittedItems(ctx, d.account.ID, b.ID, 0, 1)
	if err != nil || len(submitted.Items) == 0 || b.CalibrationCount == 0 {
		return err
	}
	if err := d.db.RequestCorrection(ctx, d.account.ID, submitted.Items[0].Token,
		"I pressed 2 for safety and meant 3."); err != nil {
		return err
	}
	return d.db.RequestRetake(ctx, lead.ID, d.project, b, d.account.ID)
}
