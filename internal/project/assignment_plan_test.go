package project_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

// newRequest requests equally many labels for all items, with equal shares.
func newRequest(seed int64, annotators, items, overlap int) project.AssignmentRequest {
	r := project.AssignmentRequest{Seed: seed, Labels: slices.Repeat([]uint8{uint8(overlap)}, items)}
	for i := range annotators {
		r.Annotators = append(r.Annotators, project.PlanAnnotator{ID: account.ID(i + 1), Share: 1})
	}
	return r
}

func loadRange(r project.AssignmentRequest, p project.AssignmentPlan) project.IntRange {
	totals := slices.Clone(p.Loads)
	for i, a := range r.Annotators {
		totals[i] += a.Load
	}
	return project.IntRange{Min: slices.Min(totals), Max: slices.Max(totals)}
}

// checkPlan checks what every plan promises.
func checkPlan(t *testing.T, r project.AssignmentRequest, p project.AssignmentPlan) {
	t.Helper()
	n := len(r.Annotators)
	loads, pairs, unassigned := make([]int, n), make([]int32, n*n), 0
	copy(pairs, r.Pairs)
	for item, labels := range r.Labels {
		owners, had := p.Owners.At(item), r.Had.At(item)
		if len(owners) != int(labels) {
			t.Fatalf("item %d has %d labels, want %d", item, len(owners), labels)
		}
		given := slices.DeleteFunc(slices.Clone(owners), func(a int32) bool { return a == project.Unassigned })
		missing := len(owners) - len(given)
		if unassigned += missing; missing != max(int(labels)+len(had)-n, 0) {
			t.Fatalf("item %d: %d unassigned of %d labels, with %d of %d annotators excluded", item, missing, labels,
				len(had), n)
		}
		others := slices.Concat(given, had)
		for i, a := range others {
			if slices.Contains(others[:i], a) {
				t.Fatalf("item %d: annotator %d twice", item, a)
			}
			for _, b := range others[:i] {
				if i >= len(given) && slices.Contains(had, b) && r.Pairs != nil {
					continue
				}
				pairs[int(a)*n+int(b)]++
				pairs[int(b)*n+int(a)]++
			}
		}
		for _, a := range given {
			loads[a]++
		}
	}
	if !slices.Equal(loads, p.Loads) || !slices.Equal(pairs, p.Pairs) || unassigned != p.Unassigned {
		t.Fatalf("loads %v, counted %v; %d unassigned, counted %d", p.Loads, loads, p.Unassigned, unassigned)
	}
	checkQueues(t, r, p)
}

// checkQueues checks that each queue is numbered from 1, with records together.
func checkQueues(t *testing.T, r project.AssignmentRequest, p project.AssignmentPlan) {
	t.Helper()
	queues := make([][]int, len(r.Annotators))
	for a, load := range p.Loads {
		queues[a] = slices.Repeat([]int{-1}, load)
	}
	label := 0
	for item := range r.Labels {
		for _, a := range p.Owners.At(item) {
			if place := p.QueueNos[label]; a == project.Unassigned && place != 0 {
				t.Fatalf("item %d: an unassigned label has place %d", item, place)
			} else if a != project.Unassigned {
				if place < 1 || int(place) > p.Loads[a] || queues[a][place-1] >= 0 {
					t.Fatalf("annotator %d: place %d", a, place)
				}
				queues[a][place-1] = item
			}
			label++
		}
	}
	if r.Records == nil {
		return
	}
	for _, queue := range queues {
		var order []int32
		for _, item := range queue {
			order = append(order, r.Records[item])
		}
		compact := slices.Compact(order)
		if slices.Sort(compact); len(slices.Compact(compact)) != len(compact) {
			t.Fatalf("a record is not together: %v", order)
		}
	}
}

func TestPlanAssignments_TwoLabels_PairsWithinOne(t *testing.T) {
	t.Parallel()
	for annotators := 2; annotators <= 21; annotators++ {
		for _, items := range []int{1, 2, 3, 7, 10, 29, 60, 100, 191, 512} {
			r := newRequest(int64(items), annotators, items, 2)
			p := project.PlanAssignments(r)
			checkPlan(t, r, p)
			if loads, pairs := loadRange(r, p), p.SharedPerPair(); loads.Max-loads.Min > 1 || pairs.Max-pairs.Min > 1 {
				t.Errorf("%d items, %d annotators: loads %v, pairs %v", items, annotators, loads, pairs)
			}
		}
	}
}

func TestPlanAssignments_SameSeed_SamePlan(t *testing.T) {
	t.Parallel()
	r := newRequest(7, 5, 100, 3)
	first, again := project.PlanAssignments(r), project.PlanAssignments(r)
	if !reflect.DeepEqual(first, again) {
		t.Error("two plans of one request differ")
	}
	r.Seed = 8
	if other := project.PlanAssignments(r); slices.Equal(first.Owners.Values, other.Owners.Values) ||
		slices.Equal(first.QueueNos, other.QueueNos) {
		t.Error("the seed has no influence")
	}
}

func TestPlanAssignments_Shares(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		shares  []float64
		items   int
		overlap int
		want    []int
	}{
		{"half share", []float64{2, 2, 1}, 100, 1, []int{40, 40, 20}},
		{"largest remainder", []float64{0.59, 0.205, 0.205}, 10, 1, []int{6, 2, 2}},
		{"an annotator gets each item once", []float64{8, 1, 1}, 100, 2, []int{100, 50, 50}},
		{"two annotators get all items", []float64{5, 4, 1}, 100, 2, []int{100, 80, 20}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRequest(3, len(tt.shares), tt.items, tt.overlap)
			for i, share := range tt.shares {
				r.Annotators[i].Share = share
			}
			p := project.PlanAssignments(r)
			checkPlan(t, r, p)
			if !slices.Equal(p.Loads, tt.want) {
				t.Errorf("loads %v, want %v", p.Loads, tt.want)
			}
		})
	}
}

// randomPlan draws a request, sometimes with shares, records, several overlaps, earlier loads and annotators who had
// the items.
func randomPlan(rng *rand.Rand) project.AssignmentRequest {
	n := 2 + rng.IntN(39)
	overlap := 1 + rng.IntN(min(5, n))
	r := newRequest(rng.Int64(), n, 10+int(1990*rng.Float64()*rng.Float64()), overlap)
	if rng.IntN(4) == 0 {
		for i := range r.Annotators {
			r.Annotators[i].Share = float64(1 + rng.IntN(5))
		}
	}
	if rng.IntN(4) == 0 {
		for i := range r.Labels {
			if rng.IntN(5) > 0 {
				r.Labels[i] = 1
			}
		}
	}
	if rng.IntN(4) == 0 {
		record := int32(0)
		for range r.Labels {
			if r.Records = append(r.Records, record); rng.IntN(5) == 0 {
				record++
			}
		}
	}
	if rng.IntN(5) == 0 {
		for i := range r.Annotators {
			r.Annotators[i].Load = rng.IntN(50)
		}
	}
	if rng.IntN(5) == 0 {
		for range r.Labels {
			had := rng.Perm(n)[:rng.IntN(min(n, 4)+1)]
			var list []int32
			for _, a := range had {
				list = append(list, int32(a))
			}
			r.Had.Append(list...)
		}
	}
	return r
}

// isPlain reports whether nothing but the numbers of annotators, items and labels decides.
func isPlain(r project.AssignmentRequest) bool {
	for _, a := range r.Annotators {
		if a.Load != 0 || a.Share != r.Annotators[0].Share {
			return false
		}
	}
	return r.Had.Values == nil
}

func TestPlanAssignments_Random_KeepsPromises(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	spreads, widest := map[string]int{}, map[string]int{}
	count := 1000
	if testing.Short() { // as the race detector runs it, which finds nothing in one goroutine
		count = 100
	}
	for n := range count {
		r := randomPlan(rng)
		p := project.PlanAssignments(r)
		checkPlan(t, r, p)
		loads, pairs := loadRange(r, p), p.SharedPerPair()
		isOneOverlap := len(slices.Compact(slices.Clone(r.Labels))) == 1
		name := fmt.Sprintf("plan %d: %d annotators, %d items × %d, loads %v, pairs %v", n, len(r.Annotators),
			len(r.Labels), r.Labels[0], loads, pairs)
		switch {
		case !isPlain(r):
			checkNoBetterLoad(t, name, r, p)
		case r.Records != nil:
			if isOneOverlap && loads.Max-loads.Min > largestRecord(r) {
				t.Errorf("%s: largest record %d", name, largestRecord(r))
			}
		default:
			if loads.Max-loads.Min > 1 {
				t.Errorf("%s: loads", name)
			}
			if isOneOverlap {
				kind := fmt.Sprintf("overlap %d", r.Labels[0])
				spreads[kind]++
				if pairs.Max-pairs.Min > 1 {
					widest[kind]++
				}
				if allowed := []int{0, 0, 1, 2, 4, 4}[r.Labels[0]]; pairs.Max-pairs.Min > allowed {
					t.Errorf("%s: pairs differ by more than %d", name, allowed)
				}
			}
		}
	}
	t.Logf("plans %v, with pairs that differ by more than one %v", spreads, widest)
}

func largestRecord(r project.AssignmentRequest) (largest int) {
	sizes := map[int32]int{}
	for _, record := range r.Records {
		sizes[record]++
		largest = max(largest, sizes[record])
	}
	return largest
}

// checkNoBetterLoad checks that no label of the plan can move to an annotator with a smaller load for
// the share.
func checkNoBetterLoad(t *testing.T, name string, r project.AssignmentRequest, p project.AssignmentPlan) {
	t.Helper()
	if r.Records != nil {
		return
	}
	isEqual := !slices.ContainsFunc(r.Annotators, func(a project.PlanAnnotator) bool {
		return a.Share != r.Annotators[0].Share
	})
	if !isEqual {
		return
	}
	for item := range r.Labels {
		for _, a := range p.Owners.At(item) {
			for b := range int32(len(r.Annotators)) {
				if a == project.Unassigned || slices.Contains(p.Owners.At(item), b) ||
					slices.Contains(r.Had.At(item), b) {
					continue
				}
				if p.Loads[a]+r.Annotators[a].Load > p.Loads[b]+r.Annotators[b].Load+1 {
					t.Errorf("%s: item %d could move from %d to %d", name, item, a, b)
					return
				}
			}
		}
	}
}

func TestPlanAssignments_MillionItems_IsFast(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test plans two million labels and runs only without -short.")
	}
	for _, overlap := range []int{2, 3} {
		r := newRequest(1, 20, 1_000_000, overlap)
		start := time.Now()
		p := project.PlanAssignments(r)
		// also on a busy machine, unless the time grows faster than the batch
		if elapsed := time.Since(start); elapsed > time.Minute {
			t.Errorf("overlap %d: %v", overlap, elapsed)
		} else {
			t.Logf("overlap %d: %v, loads %v, pairs %v", overlap, elapsed, loadRange(r, p), p.SharedPerPair())
		}
	}
}
