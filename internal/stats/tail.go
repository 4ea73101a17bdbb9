package stats

// FractionalBinomialTail is BinomialTail for numbers of hits and trials that need not be whole, such as effective ones.
func FractionalBinomialTail(hits, n, p float64) float64 {
	if hits <= 0 {
		return 1
	}
	return incompleteBeta(hits, max(n-hits, 0)+1, p)
}
