package study

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// InParallel calls compute for each of n numbers, on all processors. No result may depend on
// the order.
func InParallel(n int, compute func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				compute(int(i))
			}
		})
	}
	wg.Wait()
}

// InBlocks calls compute for blocks that together have each of n numbers, on all processors. No
// result may depend on the order.
func InBlocks(n int, compute func(from, to int)) {
	const size = 1024
	InParallel((n+size-1)/size, func(i int) { compute(i*size, min((i+1)*size, n)) })
}

// BoolToInt returns 1 for true.
func BoolToInt(value bool) int {
	if value {
		return 1
	}
	return 0
}
