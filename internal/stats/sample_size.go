package stats

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// BatchAssumptions are the expected properties of a batch before it opens.
type BatchAssumptions struct {
	Scale      NumericScale
	Weighting  Weighting
	Kappa      float64   // expected agreement, 0 to 1
	Shares     []float64 // expected share of each point of the scale; nil: equal
	Annotators int       // in the pool
}

// A SampleSizePlan is the size of a batch and the expected width of its interval of κ.
type SampleSizePlan struct {
	Overlap, Items, Ratings int
	Width                   float64 // mean width of the 95% interval over simulated batches
}

const (
	simulatedBatches  = 24
	resamplesPerBatch = 200
	maxSimulatedItems = 500 // in a simulated batch
	maxPlannedItems   = 200_000
)

// PredictWidth returns the plan of a batch with its expected width, from simulated
// batches. Each answer is the item's true value with probability √κ and else drawn from
// Shares, so any two annotators agree by κ under any weights. Above 500 items the width
// is extrapolated with the square root of their number.
func (e BatchAssumptions) PredictWidth(items, overlap int, o IntervalOptions) (SampleSizePlan, error) {
	if err := e.validate(items, overlap); err != nil {
		return SampleSizePlan{}, err
	}
	p := SampleSizePlan{Overlap: overlap, Items: items, Ratings: items * overlap}
	simulated := min(items, maxSimulatedItems)
	o = o.WithDefaults()
	o.Resamples = resamplesPerBatch
	definedCount := 0.0
	for n := range simulatedBatches {
		t, err := NewRatingTable(e.Scale, e.simulateBatch(newResampleRand(o.Seed^0x5eed, uint64(n)), simulated,
			overlap))
		if err != nil {
			return SampleSizePlan{}, err
		}
		if i := ComputeEstimates(t, o, CongerKappa(e.Weighting))[0].Interval; i.Defined() {
			p.Width, definedCount = p.Width+i.High-i.Low, definedCount+1
		}
	}
	if definedCount < simulatedBatches/2 {
		return SampleSizePlan{}, fmt.Errorf(
			"%d items with an overlap of %d are too few to predict the width of the interval", items, overlap)
	}
	p.Width *= math.Sqrt(float64(simulated)/float64(items)) / definedCount
	return p, nil
}

func (e BatchAssumptions) validate(items, overlap int) error {
	switch {
	case len(e.Scale) < 2:
		return errors.New("a plan needs a scale of at least two points")
	case !(e.Kappa >= 0 && e.Kappa <= 1): // NaN too
		return fmt.Errorf("the expected κ is %g; it must be between 0 and 1", e.Kappa)
	case e.Shares != nil && len(e.Shares) != len(e.Scale):
		return fmt.Errorf("there are %d shares for a scale of %d points", len(e.Shares), len(e.Scale))
	case e.Shares != nil && !areFrequencies(e.Shares):
		return fmt.Errorf("the shares are %g; each must be 0 or more, and one above 0", e.Shares)
	case overlap < 2:
		return fmt.Errorf("the overlap is %d; agreement needs two annotators for each item", overlap)
	case overlap > e.Annotators:
		return fmt.Errorf("the overlap is %d, but there are %d annotators", overlap, e.Annotators)
	case items < 2:
		return errors.New("a plan needs at least two items")
	}
	return nil
}

// Deviation returns the standard deviation of answers with these expected shares of the points; nil: equal shares.
func Deviation(scale NumericScale, shares []float64) (float64, error) {
	if err := (BatchAssumptions{Scale: scale, Shares: shares, Annotators: 2}).validate(2, 2); err != nil {
		return 0, err
	}
	total, mean, squares := 0.0, 0.0, 0.0
	for i, v := range scale {
		share := 1.0
		if shares != nil {
			share = shares[i]
		}
		total, mean, squares = total+share, mean+share*float64(v), squares+share*float64(v)*float64(v)
	}
	mean /= total
	return math.Sqrt(squares/total - mean*mean), nil
}

// areFrequencies reports whether no value is negative, infinite or NaN, and one is above 0.
func areFrequencies(values []float64) bool {
	total := 0.0
	for _, v := range values {
		if !(v >= 0) {
			return false
		}
		total += v
	}
	return total > 0 && !math.IsInf(total, 1)
}

// simulateBatch draws one batch.
func (e BatchAssumptions) simulateBatch(r *rand.Rand, items, overlap int) []Rating {
	knowsProbability := math.Sqrt(e.Kappa)
	ratings := make([]Rating, 0, items*overlap)
	for i := range items {
		itemValue := e.drawValue(r)
		for _, g := range r.Perm(e.Annotators)[:overlap] {
			value := itemValue
			if r.Float64() >= knowsProbability {
				value = e.drawValue(r)
			}
			ratings = append(ratings, Rating{Item: fmt.Sprint(i), Annotator: fmt.Sprint(g), Value: value})
		}
	}
	return ratings
}

// drawValue draws a value of the scale according to the shares.
func (e BatchAssumptions) drawValue(r *rand.Rand) int {
	if e.Shares == nil {
		return e.Scale[r.IntN(len(e.Scale))]
	}
	total := 0.0
	for _, s := range e.Shares {
		total += s
	}
	remaining := r.Float64() * total
	for i, s := range e.Shares {
		if remaining -= s; remaining < 0 {
			return e.Scale[i]
		}
	}
	return e.Scale[len(e.Scale)-1]
}

// PlanSampleSizes returns, for each overlap from 2 to maxOverlap, the fewest items whose
// interval of κ is expected to be no wider than width. It extrapolates with the square
// root of the items and simulates again.
func (e BatchAssumptions) PlanSampleSizes(width float64, maxOverlap int, o IntervalOptions) ([]SampleSizePlan, error) {
	if !(width > 0 && width < 2) { // NaN too
		return nil, fmt.Errorf("the width %g is out of range; choose one between 0 and 2, such as 0.2", width)
	}
	var plans []SampleSizePlan
	for overlap := 2; overlap <= min(maxOverlap, e.Annotators); overlap++ {
		p, err := e.PredictWidth(200, overlap, o)
		for range 3 {
			if err != nil {
				return nil, err
			}
			items := math.Ceil(float64(p.Items) * (p.Width / width) * (p.Width / width))
			if items > maxPlannedItems {
				return nil, fmt.Errorf("an interval of width %g needs more than %d items", width, maxPlannedItems)
			}
			p, err = e.PredictWidth(max(int(items), 10), overlap, o)
		}
		if err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	return plans, nil
}
