package project_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/sequence"
)

var session = protocol.SessionPlan{MinSecondsPerItem: 60, MaxSecondsPerItem: 90}

func annotatorEmails(n int) (addresses []string) {
	for i := range n {
		addresses = append(addresses, fmt.Sprintf("a%d@example.org", i))
	}
	return addresses
}

func TestPreviewBatch_Cases(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                     string
		items, annotators        int
		overlap                  int
		breakEvery, breakMinutes int
		itemsEach, minutes       project.IntRange
		slots, totalBreak        int
		shared                   float64
	}{
		{"full overlap", 100, 3, 3, 30, 5, project.IntRange{Min: 100, Max: 100}, project.IntRange{Min: 100, Max: 150}, 300, 15, 100},
		{"overlap 2 of 4", 100, 4, 2, 0, 5, project.IntRange{Min: 50, Max: 50}, project.IntRange{Min: 50, Max: 75}, 200, 0, 100.0 / 6},
		{"overlap 1", 10, 2, 1, 30, 5, project.IntRange{Min: 5, Max: 5}, project.IntRange{Min: 5, Max: 8}, 10, 0, 0},
		{"unequal shares", 10, 3, 2, 3, 5, project.IntRange{Min: 6, Max: 7}, project.IntRange{Min: 6, Max: 11}, 20, 10, 10.0 / 3},
		{"single annotator", 4, 1, 1, 2, 5, project.IntRange{Min: 4, Max: 4}, project.IntRange{Min: 4, Max: 6}, 4, 5, 0},
		{"no break at the end", 30, 1, 1, 30, 5, project.IntRange{Min: 30, Max: 30}, project.IntRange{Min: 30, Max: 45}, 30, 0, 0},
		{"no annotators", 10, 0, 2, 30, 5, project.IntRange{}, project.IntRange{}, 20, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := project.BatchSpec{Annotators: annotatorEmails(tt.annotators), Overlap: tt.overlap, BreakEvery: tt.breakEvery, BreakMinutes: tt.breakMinutes}
			got := project.PreviewBatch(session, s, tt.items)
			want := project.BatchPreview{Items: tt.items, Annotators: tt.annotators, Overlap: tt.overlap, Slots: tt.slots,
				ItemsPerAnnotator: tt.itemsEach, Minutes: tt.minutes, BreakMinutes: tt.totalBreak, SharedItems: got.SharedItems}
			if got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
			if math.Abs(got.SharedItems-tt.shared) > 1e-9 {
				t.Errorf("a pair shares %v items, want %v", got.SharedItems, tt.shared)
			}
		})
	}
}

func TestPreviewBatch_ExtraItems(t *testing.T) {
	t.Parallel()
	s := project.BatchSpec{Annotators: annotatorEmails(2), Overlap: 2, BreakEvery: 30, BreakMinutes: 5, CalibrationCount: 6, DuplicateCount: 10}
	got := project.PreviewBatch(session, s, 100)
	if got.CalibrationCount != 6 || got.DuplicateCount != 10 || got.Minutes != (project.IntRange{Min: 116, Max: 174}) || got.BreakMinutes != 15 {
		t.Errorf("%+v", got)
	}
}

// SharedItems is an expected value. A random assignment must come close to it.
func TestPreviewBatch_SharedItems_MatchesSimulation(t *testing.T) {
	t.Parallel()
	const items, annotators, overlap = 2000, 5, 3
	shared := 0
	for i := range account.ID(items) {
		drawn := sequence.Shuffle(1, i, []int64{0, 1, 2, 3, 4})[:overlap]
		if slices.Contains(drawn, 0) && slices.Contains(drawn, 1) {
			shared++
		}
	}
	preview := project.PreviewBatch(session, project.BatchSpec{Annotators: annotatorEmails(annotators), Overlap: overlap}, items)
	if math.Abs(preview.SharedItems-float64(shared)) > 100 { // five standard deviations
		t.Errorf("got %v, simulated %d", preview.SharedItems, shared)
	}
}
