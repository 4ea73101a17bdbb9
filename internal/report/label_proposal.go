package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

// A LabelProposal is the items that a draw has drawn for labeling.
type LabelProposal struct {
	project.JudgeDraw                       // with its digest
	Labeled           int                   // items with answers of the judge and labels, which the gain follows from
	Items             []ProposedItem        // the drawn ones, largest gain first
	Candidates        []study.DrawCandidate // all that could be drawn, by id
}

// A ProposedItem is an item to label next.
type ProposedItem struct {
	ItemID      project.ItemID
	SourceID    string
	Title       string // the first line; may be empty
	Field       string // key of the field with the largest gain
	Answer      int    // of the judge, to this field
	Gain        float64
	Reason      GainReason
	Probability float64 // with which it was drawn
}

// A GainReason is why a label of an item is expected to add much.
type GainReason = judge.GainReason

// A JudgedItem is an item with an answer of the judge.
type JudgedItem struct {
	ItemID      project.ItemID
	Answers     map[string]int
	Others      []map[string]int // answers of other judges
	Labels      []map[string]int // of annotators
	IsCandidate bool             // it can be drawn
}

// ProposeLabels draws items for labeling from those that a judge has answered, by id. It returns
// project.ErrDrawChanged if d has the digest of another draw.
func ProposeLabels(p protocol.Protocol, d project.JudgeDraw, items []JudgedItem) (LabelProposal, error) {
	proposal := LabelProposal{JudgeDraw: d}
	fields := slices.DeleteFunc(slices.Clone(p.Fields), func(f protocol.Field) bool { return d.Field != "" && f.Key != d.Field })
	if len(fields) == 0 {
		return proposal, fault.NotFound.Errorf("The protocol has no field “%s”.", d.Field)
	}
	experience := map[string]*judge.Experience{}
	for _, f := range fields {
		experience[f.Key] = judge.NewExperience(f.Scale.Values())
		for _, item := range items {
			if answer, isAnswered := item.Answers[f.Key]; isAnswered {
				experience[f.Key].AddJudgment(answer)
				experience[f.Key].AddLabels(answer, answersByKey(item.Labels, f.Key))
			}
		}
	}
	var candidates []ProposedItem
	var gains []float64
	for _, item := range items {
		proposal.Labeled += study.BoolToInt(len(item.Labels) > 0)
		c, hasAnswer := newProposedItem(fields, experience, item)
		if item.IsCandidate && hasAnswer {
			candidates, gains = append(candidates, c), append(gains, c.Gain)
		}
	}
	if len(candidates) == 0 {
		return proposal, fault.Conflict.Errorf("No item is left to draw: each one that “%s” has answered has labels, is in an open batch, or is archived. Close a batch, or import more judgments.", d.Judge)
	}
	return proposal, proposal.draw(candidates, gains)
}

// draw draws from candidates with these gains.
func (p *LabelProposal) draw(candidates []ProposedItem, gains []float64) error {
	for i, inclusion := range judge.DrawNext(gains, p.Size, uint64(p.Seed)) {
		candidates[i].Probability = inclusion.Probability
		p.Candidates = append(p.Candidates, study.DrawCandidate{ItemID: candidates[i].ItemID, Probability: inclusion.Probability, IsDrawn: inclusion.IsDrawn})
		if inclusion.IsDrawn {
			p.Items = append(p.Items, candidates[i])
		}
	}
	slices.SortStableFunc(p.Items, func(a, b ProposedItem) int { return cmp.Compare(b.Gain, a.Gain) })
	digest := digestOf(p.Candidates)
	if p.Digest != "" && p.Digest != digest {
		return project.ErrDrawChanged
	}
	p.Digest = digest
	return nil
}

// answersByKey returns the answers to one field.
func answersByKey(labels []map[string]int, field string) (answers []int) {
	for _, label := range labels {
		if answer, ok := label[field]; ok {
			answers = append(answers, answer)
		}
	}
	return answers
}

// newProposedItem returns an item with the mean gain over the fields that the judge has answered, and
// the reason of the field with the largest.
func newProposedItem(fields []protocol.Field, experience map[string]*judge.Experience, item JudgedItem) (p ProposedItem, hasAnswer bool) {
	p.ItemID = item.ItemID
	total, count, largest := 0.0, 0.0, -1.0
	for _, f := range fields {
		answer, isAnswered := item.Answers[f.Key]
		if !isAnswered {
			continue
		}
		gain := experience[f.Key].Gain(answer, answersByKey(item.Others, f.Key))
		total, count = total+gain.Total(), count+1
		if gain.Total() > largest {
			largest, p.Field, p.Answer, p.Reason = gain.Total(), f.Key, answer, gain.Reason()
		}
	}
	p.Gain = total / max(count, 1)
	return p, count > 0
}

// digestOf hashes candidates with their probabilities, and which of them are drawn.
func digestOf(candidates []study.DrawCandidate) string {
	hash, row := sha256.New(), make([]byte, 17)
	for _, c := range candidates {
		binary.BigEndian.PutUint64(row, uint64(c.ItemID))
		binary.BigEndian.PutUint64(row[8:], math.Float64bits(c.Probability))
		row[16] = byte(study.BoolToInt(c.IsDrawn))
		hash.Write(row)
	}
	return hex.EncodeToString(hash.Sum(nil)[:12])
}

// ItemIDs returns the drawn items; not nil, which would be all.
func (p *LabelProposal) ItemIDs() []project.ItemID {
	ids := make([]project.ItemID, len(p.Items))
	for i, item := range p.Items {
		ids[i] = item.ItemID
	}
	return ids
}
