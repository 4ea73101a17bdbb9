package project_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// planItems plans a batch of three annotators.
func planItems(t *testing.T, s project.BatchSpec, available project.BatchItems) project.BatchPlan {
	t.Helper()
	if s.Overlap == 0 {
		s.Overlap = 1
	}
	plan, err := s.PlanItems(available, planAnnotators(3))
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func planAnnotators(n int) (annotators []project.PlanAnnotator) {
	for i := range n {
		annotators = append(annotators, project.PlanAnnotator{ID: account.ID(i + 1), Share: 1})
	}
	return annotators
}

func TestPlanItems_Sample_Sizes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		sample project.Sample
		want   int
	}{
		{"all", project.Sample{}, 60},
		{"count", project.Sample{Count: 7}, 7},
		{"percentage", project.Sample{Percent: 12.5}, 8},
		{"small percentage", project.Sample{Percent: 0.1}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			spec := project.BatchSpec{Sample: tt.sample, Seed: 1}
			drawn := planItems(t, spec, project.BatchItems{Count: 60}).Items
			if len(drawn) != tt.want || !slices.IsSorted(drawn) || len(slices.Compact(slices.Clone(drawn))) != tt.want {
				t.Errorf("drew %v, want %d", drawn, tt.want)
			}
			if again := planItems(t, spec, project.BatchItems{Count: 60}).Items; !slices.Equal(drawn, again) {
				t.Error("the same seed drew other items")
			}
			spec.Seed = 2
			if other := planItems(t, spec, project.BatchItems{Count: 60}).Items; tt.want == 7 &&
				slices.Equal(drawn, other) {
				t.Error("another seed drew the same items")
			}
		})
	}
}

func TestPlanItems_SampleAboveAvailable_IsRefused(t *testing.T) {
	t.Parallel()
	spec := project.BatchSpec{Sample: project.Sample{Count: 61}, Overlap: 1}
	_, err := spec.PlanItems(project.BatchItems{Count: 60}, planAnnotators(1))
	if err == nil || !strings.Contains(err.Error(), "Only 60 items are in no batch. You asked for 61.") {
		t.Error(err)
	}
}

// Labels of earlier batches count, so one annotator can collect the last label of each item.
func TestPlanItems_MoreLabelsThanAnnotators(t *testing.T) {
	t.Parallel()
	spec := project.BatchSpec{Overlap: 2}
	available := project.BatchItems{Count: 2}
	available.SetEarlier(0, project.EarlierLabels{Count: 1})
	if _, err := spec.PlanItems(available, planAnnotators(1)); fault.KindOf(err) != fault.Invalid {
		t.Errorf("two labels of one annotator: %v", err)
	}
	available.SetEarlier(1, project.EarlierLabels{Count: 1})
	plan, err := spec.PlanItems(available, planAnnotators(1))
	if err != nil || !slices.Equal(plan.Labels, []uint8{1, 1}) {
		t.Errorf("labels %v, %v", plan.Labels, err)
	}
}

// Each stratum gets its part within one, and at least one item where the sample allows it.
func TestPlanItems_Stratified_Random(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		strata := 1 + rng.IntN(8)
		sizes := make([]int, strata)
		var available project.BatchItems
		for range 10 + rng.IntN(300) {
			stratum := int(float64(strata) * rng.Float64() * rng.Float64())
			sizes[stratum]++
			available.Strata = append(available.Strata, int32(stratum))
		}
		available.Count = len(available.Strata)
		count := 1 + rng.IntN(available.Count)
		drawn := make([]int, strata)
		plan := planItems(t, project.BatchSpec{Sample: project.Sample{Count: count}, Seed: rng.Int64()}, available)
		for _, i := range plan.Items {
			drawn[available.Strata[i]]++
		}
		occupied := strata - len(slices.DeleteFunc(slices.Clone(sizes), func(size int) bool { return size > 0 }))
		for stratum, size := range sizes {
			exact := float64(count*size) / float64(available.Count)
			isAlone := exact < 1 && drawn[stratum] == 1
			if size > 0 && count >= occupied && drawn[stratum] == 0 {
				t.Fatalf("%d of %v: no item of stratum %d: %v", count, sizes, stratum, drawn)
			}
			if occupied <= count/4 && !isAlone && math.Abs(exact-float64(drawn[stratum])) > 2 {
				t.Fatalf("%d of %v: stratum %d has %d, its part is %.1f", count, sizes, stratum, drawn[stratum], exact)
			}
		}
		if len(plan.Items) != count {
			t.Fatalf("drew %d, want %d", len(plan.Items), count)
		}
	}
}

func TestPlanItems_ByRecord_DrawsWholeRecords(t *testing.T) {
	t.Parallel()
	var available project.BatchItems
	for record := range int32(40) {
		for range 1 + record%7 {
			available.Records = append(available.Records, record)
		}
	}
	available.Count = len(available.Records)
	spec := project.BatchSpec{Sample: project.Sample{Count: 12}, ByRecord: true, Seed: 5, Overlap: 2,
		OverlapSample: project.OverlapSample{Percent: 25, Labels: 3}}
	plan := planItems(t, spec, available)
	labels := map[int32]uint8{}
	drawn := map[int32]int32{}
	for i, item := range plan.Items {
		record := available.Records[item]
		drawn[record]++
		if known, ok := labels[record]; ok && known != plan.Labels[i] {
			t.Errorf("record %d has items with %d and %d labels", record, known, plan.Labels[i])
		}
		labels[record] = plan.Labels[i]
	}
	three := 0
	for record, count := range drawn {
		if count != 1+record%7 {
			t.Errorf("record %d has %d items, want %d", record, count, 1+record%7)
		}
		if labels[record] == 3 {
			three++
		}
	}
	if len(drawn) != 12 || three != 3 {
		t.Errorf("%d records, %d with three labels", len(drawn), three)
	}
}
