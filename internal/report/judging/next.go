package judging

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"slices"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A Proposal is the items that a draw has drawn for labeling.
type Proposal struct {
	project.JudgeDraw                // with its digest
	Candidates        int            // items that could be drawn
	Items             []ProposedItem // by disagreement largest first, else by id
}

// A ProposedItem is an item to label next.
type ProposedItem struct {
	ItemID   project.ItemID
	SourceID string
	Title    string           // the first line; may be empty
	Answers  []map[string]int // of the judge, then of other judges
	Distance float64          // how far the judges' answers are apart: mean over the fields, as a share of the scale
}

// Propose draws items for labeling from candidates, which are in order of id: at random, all equally probable, or those
// on which judges
// differ most. It returns project.ErrDrawChanged if d has the digest of another draw.
func Propose(p protocol.Protocol, d project.JudgeDraw, candidates []ProposedItem) (Proposal, error) {
	proposal := Proposal{JudgeDraw: d, Candidates: len(candidates)}
	if d.By == project.DrawByDisagreement {
		for i := range candidates {
			candidates[i].Distance = distance(p, candidates[i].Answers)
		}
		candidates = slices.DeleteFunc(candidates, func(c ProposedItem) bool { return c.Distance == 0 })
		slices.SortStableFunc(candidates, func(a, b ProposedItem) int { return cmp.Compare(b.Distance, a.Distance) })
	} else {
		order := rand.New(rand.NewPCG(uint64(d.Seed), 0)).Perm(len(candidates))
		chosen := slices.Sorted(slices.Values(order[:min(d.Size, len(order))]))
		drawn := make([]ProposedItem, len(chosen))
		for i, n := range chosen {
			drawn[i] = candidates[n]
		}
		candidates = drawn
	}
	switch {
	case len(candidates) == 0 && proposal.Candidates > 0:
		return proposal, fault.Conflict.Errorf(
			"On no item that “%s” has answered do two judges differ. Import the judgments of another judge, or draw at random.", d.Judge)
	case len(candidates) == 0:
		return proposal, fault.Conflict.Errorf(
			"No item is left to draw: each one that “%s” has answered has labels, is in an open batch, or is archived. Close a batch, or import more judgments.", d.Judge)
	}
	proposal.Items = candidates[:min(d.Size, len(candidates))]
	digest := digestOf(proposal.Items)
	if d.Digest != "" && d.Digest != digest {
		return proposal, project.ErrDrawChanged
	}
	proposal.Digest = digest
	return proposal, nil
}

// distance returns how far the answers of judges to an item are apart.
func distance(p protocol.Protocol, answers []map[string]int) float64 {
	sum, fields := 0.0, 0.0
	for _, f := range p.Fields {
		var values []int
		for _, a := range answers {
			if v, ok := a[f.Key]; ok {
				values = append(values, v)
			}
		}
		if scale := f.Scale.Values(); len(values) > 0 {
			sum, fields = sum+float64(slices.Max(values)-slices.Min(values))/float64(scale[len(scale)-1]-scale[0]),
				fields+1
		}
	}
	return sum / max(fields, 1)
}

func digestOf(items []ProposedItem) string {
	hash := sha256.New()
	for _, i := range items {
		hash.Write(binary.BigEndian.AppendUint64(nil, uint64(i.ItemID)))
	}
	return hex.EncodeToString(hash.Sum(nil)[:12])
}

// ItemIDs returns the drawn items; not nil, which would be all.
func (p *Proposal) ItemIDs() []project.ItemID {
	ids := make([]project.ItemID, len(p.Items))
	for i, item := range p.Items {
		ids[i] = item.ItemID
	}
	return ids
}
