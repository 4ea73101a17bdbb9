package project_test

import (
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

var session = protocol.SessionPlan{MinSecondsPerItem: 60, MaxSecondsPerItem: 90}

func previewBatch(t *testing.T, s project.BatchSpec, annotators int,
	available project.BatchItems) project.BatchPreview {
	t.Helper()
	plan, err := s.PlanItems(available, planAnnotators(annotators))
	if err != nil {
		t.Fatal(err)
	}
	return project.PreviewBatch(session, s, plan)
}

func TestPreviewBatch_Cases(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                     string
		items, annotators        int
		overlap                  int
		breakEvery, breakMinutes int
		itemsEach, minutes       project.IntRange
		labels, totalBreak       int
		shared                   project.IntRange
	}{
		{"full overlap", 100, 3, 3, 30, 5, project.IntRange{Min: 100, Max: 100}, project.IntRange{Min: 100, Max: 150},
			300, 15, project.IntRange{Min: 100, Max: 100}},
		{"overlap 2 of 4", 100, 4, 2, 0, 5, project.IntRange{Min: 50, Max: 50}, project.IntRange{Min: 50, Max: 75}, 200,
			0, project.IntRange{Min: 16, Max: 17}},
		{"overlap 1", 10, 2, 1, 30, 5, project.IntRange{Min: 5, Max: 5}, project.IntRange{Min: 5, Max: 8}, 10, 0,
			project.IntRange{}},
		{"unequal shares", 10, 3, 2, 3, 5, project.IntRange{Min: 6, Max: 7}, project.IntRange{Min: 6, Max: 11}, 20, 10,
			project.IntRange{Min: 3, Max: 4}},
		{"single annotator", 4, 1, 1, 2, 5, project.IntRange{Min: 4, Max: 4}, project.IntRange{Min: 4, Max: 6}, 4, 5,
			project.IntRange{}},
		{"no break at the end", 30, 1, 1, 30, 5, project.IntRange{Min: 30, Max: 30}, project.IntRange{Min: 30, Max: 45},
			30, 0, project.IntRange{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := project.BatchSpec{Overlap: tt.overlap, BreakEvery: tt.breakEvery, BreakMinutes: tt.breakMinutes}
			got := previewBatch(t, s, tt.annotators, project.BatchItems{Count: tt.items})
			if got.Items != tt.items || got.Annotators != tt.annotators || got.Labels != tt.labels ||
				got.ItemsPerAnnotator != tt.itemsEach ||
				got.Minutes != tt.minutes || got.BreakMinutes != tt.totalBreak || got.SharedItems != tt.shared {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestPreviewBatch_ExtraItems(t *testing.T) {
	t.Parallel()
	s := project.BatchSpec{Overlap: 2, BreakEvery: 30, BreakMinutes: 5, CalibrationCount: 6, DuplicateCount: 10}
	got := previewBatch(t, s, 2, project.BatchItems{Count: 100})
	if got.CalibrationCount != 6 || got.DuplicateCount != 10 || got.Minutes != (project.IntRange{Min: 116, Max: 174}) ||
		got.BreakMinutes != 15 {
		t.Errorf("%+v", got)
	}
}

func TestPreviewBatch_Records_CountsCompleteOnes(t *testing.T) {
	t.Parallel()
	available := project.BatchItems{Count: 6, Records: []int32{0, 0, 1, 1, 2, 3}}
	if got := previewBatch(t, project.BatchSpec{Overlap: 1}, 1, available); got.Records != 4 ||
		got.CompleteRecords != 4 {
		t.Errorf("all items: %+v", got)
	}
	some := previewBatch(t, project.BatchSpec{Overlap: 1, Sample: project.Sample{Count: 5}, Seed: 1}, 1, available)
	if some.Records < 3 || some.CompleteRecords != 3 {
		t.Errorf("all but one item: %+v", some)
	}
}

func TestPreviewBatch_OverlapSample(t *testing.T) {
	t.Parallel()
	s := project.BatchSpec{Overlap: 1, OverlapSample: project.OverlapSample{Percent: 20, Labels: 3}, Seed: 9}
	got := previewBatch(t, s, 4, project.BatchItems{Count: 100})
	if got.Labels != 140 || got.MultiLabelItems != 20 || got.LabelsPerItem != (project.IntRange{Min: 1, Max: 3}) ||
		got.ItemsPerAnnotator != (project.IntRange{Min: 35, Max: 35}) {
		t.Errorf("%+v", got)
	}
}

// What the preview shows is what opens: the queues add places, and change no owner.
func TestOrderQueues_KeepsPlan(t *testing.T) {
	t.Parallel()
	s := project.BatchSpec{Overlap: 2, Seed: 4}
	annotators := planAnnotators(5)
	plan, err := s.PlanItems(project.BatchItems{Count: 77}, annotators)
	if err != nil {
		t.Fatal(err)
	}
	ordered := s.OrderQueues(plan, annotators)
	if !slices.Equal(plan.Assignment.Owners.Values, ordered.Assignment.Owners.Values) ||
		len(ordered.Assignment.QueueNos) != 154 {
		t.Error("the plan changed")
	}
}
