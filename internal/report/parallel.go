package report

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// inParallel calls compute for each of n numbers, on all processors. No result may depend on
// the order.
func inParallel(n int, compute func(i int)) {
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

// inBlocks calls compute for blocks that together have each of n numbers, on all processors. No
// result may depend on the order.
func inBlocks(n int, compute func(from, to int)) {
	const size = 1024
	inParallel((n+size-1)/size, func(i int) { compute(i*size, min((i+1)*size, n)) })
}
