package project_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/sequence"
)

var session = protocol.Plan{PaceFrom: 60, PaceTo: 90}

func people(n int) (addresses []string) {
	for i := range n {
		addresses = append(addresses, fmt.Sprintf("a%d@example.org", i))
	}
	return addresses
}

func TestABatchIsForeseen(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                string
		items, annotators   int
		overlap             int
		every, rest         int
		each, minutes       project.Span
		slots, breakMinutes int
		shared              float64
	}{
		{"everybody labels everything", 100, 3, 3, 30, 5, project.Span{From: 100, To: 100}, project.Span{From: 100, To: 150}, 300, 15, 100},
		{"two of four label each item", 100, 4, 2, 0, 5, project.Span{From: 50, To: 50}, project.Span{From: 50, To: 75}, 200, 0, 100.0 / 6},
		{"nothing is shared without overlap", 10, 2, 1, 30, 5, project.Span{From: 5, To: 5}, project.Span{From: 5, To: 8}, 10, 0, 0},
		{"a part that is not whole goes to some", 10, 3, 2, 3, 5, project.Span{From: 6, To: 7}, project.Span{From: 6, To: 11}, 20, 10, 10.0 / 3},
		{"one person shares with nobody", 4, 1, 1, 2, 5, project.Span{From: 4, To: 4}, project.Span{From: 4, To: 6}, 4, 5, 0},
		{"a break that nothing follows is not taken", 30, 1, 1, 30, 5, project.Span{From: 30, To: 30}, project.Span{From: 30, To: 45}, 30, 0, 0},
		{"nobody is chosen yet", 10, 0, 2, 30, 5, project.Span{}, project.Span{}, 20, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := project.Handout{Annotators: people(tt.annotators), Overlap: tt.overlap, BreakEvery: tt.every, BreakMinutes: tt.rest}
			got := project.Foresee(session, h, tt.items)
			want := project.Plan{Items: tt.items, Annotators: tt.annotators, Overlap: tt.overlap, Slots: tt.slots,
				Each: tt.each, Minutes: tt.minutes, Breaks: tt.breakMinutes, Shared: got.Shared}
			if got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
			if math.Abs(got.Shared-tt.shared) > 1e-9 {
				t.Errorf("a pair shares %v items, want %v", got.Shared, tt.shared)
			}
		})
	}
}

func TestCalibrationAndDuplicatesTakeTimeToo(t *testing.T) {
	t.Parallel()
	h := project.Handout{Annotators: people(2), Overlap: 2, BreakEvery: 30, BreakMinutes: 5, Calibration: 6, Duplicates: 10}
	got := project.Foresee(session, h, 100)
	if got.Calibration != 6 || got.Duplicates != 10 || got.Minutes != (project.Span{From: 116, To: 174}) || got.Breaks != 15 {
		t.Errorf("%+v", got)
	}
}

// What a pair shares is an average over all ways to fill the slots; filling
// them by chance comes out near it.
func TestSharedItemsAreWhatChanceGives(t *testing.T) {
	t.Parallel()
	const items, annotators, overlap = 2000, 5, 3
	shared := 0
	for i := range int64(items) {
		took := sequence.Shuffle(1, i, []int64{0, 1, 2, 3, 4})[:overlap]
		if slices.Contains(took, 0) && slices.Contains(took, 1) {
			shared++
		}
	}
	plan := project.Foresee(session, project.Handout{Annotators: people(annotators), Overlap: overlap}, items)
	if math.Abs(plan.Shared-float64(shared)) > 100 { // five standard deviations
		t.Errorf("foreseen %v, drawn %d", plan.Shared, shared)
	}
}
