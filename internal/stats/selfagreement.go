package stats

import (
	"strconv"
)

// A Repeat is one answer that an annotator gave twice. Repeats of one Item, such
// as its fields, were given together; a blank Item stands alone.
type Repeat struct {
	Item         string
	First, Again int
}

// A SelfAgreement is how far an annotator agrees with the same annotator.
type SelfAgreement struct {
	N      int   // answers given twice
	Exact  Share // of them, equal
	Within Share // of them, at most one point apart
	Kappa  Estimate
}

// SelfAgreementOf judges the repeats of one annotator on one scale; Kappa is the
// linear-weighted κ of the first against the second time. A value off the scale
// is an error.
func SelfAgreementOf(scale Scale, repeats []Repeat, o Options) (SelfAgreement, error) {
	var ratings []Rating
	for i, r := range repeats {
		answer := strconv.Itoa(i)
		ratings = append(ratings,
			Rating{Item: answer, Annotator: "first", Value: r.First, Cluster: r.Item},
			Rating{Item: answer, Annotator: "second", Value: r.Again, Cluster: r.Item})
	}
	t, err := NewTable(scale, ratings)
	if err != nil {
		return SelfAgreement{}, err
	}
	return SelfAgreement{
		N:      len(repeats),
		Exact:  within(repeats, 0),
		Within: within(repeats, 1),
		Kappa:  Estimates(t, o, LightKappa(Linear))[0],
	}, nil
}

// within is the share of repeats at most so many points apart, items together.
func within(repeats []Repeat, points int) Share {
	place := map[string]int{}
	var parts []Part
	for _, r := range repeats {
		n, seen := place[r.Item]
		if !seen || r.Item == "" {
			n = len(parts)
			place[r.Item] = n
			parts = append(parts, Part{})
		}
		parts[n].N++
		if max(r.First-r.Again, r.Again-r.First) <= points {
			parts[n].Hits++
		}
	}
	return ShareOfParts(parts)
}
