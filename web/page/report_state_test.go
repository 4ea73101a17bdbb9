package page_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/web/page"
)

// checkParts checks which parts are in a page.
func checkParts(t *testing.T, text string, parts map[string]bool) {
	t.Helper()
	text = strings.Join(strings.Fields(text), " ")
	for part, want := range parts {
		if got := strings.Contains(text, part); got != want {
			t.Fatalf("%q is %t, want %t: %s", part, got, want, text)
		}
	}
}

// TestRaterEffects_States_AreTrue checks what annotators read about their own rater effects, in all states.
func TestRaterEffects_States_AreTrue(t *testing.T) {
	t.Parallel()
	for n := range 16 {
		d := page.RaterEffectsData{ProjectTitle: "Pilot", HasClosedBatch: n&1 > 0, IsComputing: n&2 > 0}
		isShown, hasDuplicates := false, n&8 > 0
		if n&4 > 0 {
			d.Annotator, isShown = &report.Annotator{}, d.HasClosedBatch && !d.IsComputing
			if hasDuplicates {
				d.Annotator.SelfConsistency = []report.FieldSelfConsistency{{Duplicates: 4, Exact: number(0.75, 0.3, 0.95)}}
			}
		}
		checkParts(t, renderPage(t, page.RaterEffects(d)).Text(), map[string]bool{
			"Nothing to see yet.":                   !d.HasClosedBatch,
			"The comparison is being computed.":     d.HasClosedBatch && d.IsComputing,
			"You have no labels in a closed batch":  d.HasClosedBatch && !d.IsComputing && d.Annotator == nil,
			"These are statistics, not grades.":     isShown,
			"Of the pairs of answers: 3 of 4 equal": isShown && hasDuplicates,
		})
	}
}

// TestConsensus_States_AreTrue checks what the page of the consensus says of its numbers.
func TestConsensus_States_AreTrue(t *testing.T) {
	t.Parallel()
	for n := range 16 {
		r := &report.Report{Fields: []report.FieldReport{{Key: "tone", Title: "Tone", ConsensusCounts: []report.ConsensusCount{{Method: stats.Tie, Items: 4}}}}}
		r.Counts.Work = n & 1
		d := page.ConsensusData{ReportData: reportData(r), List: listData(1)}
		d.FinishedAt, d.IsStale, d.LaterLabels = time.Date(2026, 11, 23, 8, 4, 0, 0, time.UTC), n&2 > 0, n&4>>2
		if n&8 > 0 {
			d.Report = nil
		}
		hasTable := d.Report != nil && n&1 > 0
		checkParts(t, renderPage(t, page.Consensus(d)).Text(), map[string]bool{
			"The numbers by method are being computed.": d.Report == nil,
			"Items by consensus method":                 hasTable,
			"The table is of 23 Nov 2026, 08:04 UTC; decisions, judgments or items are newer. The next table follows by itself.": hasTable && d.IsStale && d.LaterLabels == 0,
			"The table is of 23 Nov 2026, 08:04 UTC; 1 label was submitted since. The next table follows by itself.":             hasTable && d.IsStale && d.LaterLabels == 1,
		})
	}
}

// TestNextLabels_States_AreTrue checks what the page of a draw says with and without judges and items.
func TestNextLabels_States_AreTrue(t *testing.T) {
	t.Parallel()
	for n := range 24 {
		d := page.NextLabelsData{Project: project.Project{Key: "p"}, Judges: [][]string{nil, {"critic"}}[n/12]}
		items := []int{1, 2, 200, 201, 202, 1200}[n%6]
		if n/6%2 > 0 {
			d.Proposal = &report.LabelProposal{Items: make([]report.ProposedItem, items), Candidates: make([]study.DrawCandidate, items)}
		}
		isDrawn := d.Proposal != nil && len(d.Judges) > 0
		checkParts(t, renderPage(t, page.NextLabels(d)).Text(), map[string]bool{
			"No model judge has judged items of this project.": len(d.Judges) == 0,
			"Draw items":  len(d.Judges) > 0 && d.Proposal == nil,
			"Draw again":  isDrawn,
			"not listed.": isDrawn && items > 200,
			"1 more item is not listed. The batch gets all of them.":                             isDrawn && items == 201,
			"2 more items are not listed. The batch gets all of them.":                           isDrawn && items == 202,
			"1,000 more items are not listed. The batch gets all of them.":                       isDrawn && items == 1200,
			fmt.Sprint(map[bool]string{true: "1 drawn item", false: " drawn items"}[items == 1]): isDrawn,
		})
	}
}
