package stats

import "strconv"

// A RepeatedAnswer is a first and a second answer of an annotator to one question. Answers
// with the same Item, such as its fields, form a cluster; a blank Item forms none.
type RepeatedAnswer struct {
	Item          string
	First, Second int
}

// A SelfConsistency is the agreement of an annotator with their own earlier answers.
type SelfConsistency struct {
	AnswerCount    int        // repeated answers
	ExactShare     Proportion // of them, equal
	WithinOnePoint Proportion // of them, at most one point apart
	Kappa          Estimate
}

// ComputeSelfConsistency compares the repeated answers of one annotator on one scale.
// Kappa is the linear-weighted κ of first and second answers. A value off the scale is an
// error.
func ComputeSelfConsistency(scale NumericScale, repeats []RepeatedAnswer, o IntervalOptions) (SelfConsistency, error) {
	var ratings []Rating
	for i, r := range repeats {
		ratingID := strconv.Itoa(i)
		ratings = append(ratings,
			Rating{Item: ratingID, Annotator: "first", Value: r.First, Cluster: r.Item},
			Rating{Item: ratingID, Annotator: "second", Value: r.Second, Cluster: r.Item})
	}
	t, err := NewRatingTable(scale, ratings)
	if err != nil {
		return SelfConsistency{}, err
	}
	return SelfConsistency{
		AnswerCount:    len(repeats),
		ExactShare:     computeShareWithin(repeats, 0),
		WithinOnePoint: computeShareWithin(repeats, 1),
		Kappa:          ComputeEstimates(t, o, LightKappa(Linear))[0],
	}, nil
}

// computeShareWithin returns the share of repeats at most so many points apart, clustered
// by item.
func computeShareWithin(repeats []RepeatedAnswer, points int) Proportion {
	clusterIndex := map[string]int{}
	var clusters []ClusterHits
	for _, r := range repeats {
		n, seen := clusterIndex[r.Item]
		if !seen || r.Item == "" {
			n = len(clusters)
			clusterIndex[r.Item] = n
			clusters = append(clusters, ClusterHits{})
		}
		clusters[n].Total++
		if max(r.First-r.Second, r.Second-r.First) <= points {
			clusters[n].Hits++
		}
	}
	return NewClusteredProportion(clusters)
}
