package stats

import "math"

// InterimConfidenceLevel returns the confidence level of the nth analysis of growing data,
// so that all analyses together err in at most 5%: analysis n spends the share 6/π²n² of
// the error. From the third on, use at least 5,000 resamples.
func InterimConfidenceLevel(n int) float64 {
	analysisNo := float64(max(n, 1))
	return 1 - 0.05*6/(math.Pi*math.Pi*analysisNo*analysisNo)
}
