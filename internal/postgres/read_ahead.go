package postgres

import "iter"

// readAheadRows is how many rows readAhead passes on at once, so that the hand-over costs little.
// At most four times as many are in memory.
const readAheadRows = 64

// readAhead yields the rows while a goroutine reads the next ones. When it returns, nothing is
// read any more, so that the connection of rows is free.
func readAhead[T any](rows iter.Seq2[T, error]) iter.Seq2[T, error] {
	type result struct {
		values []T
		err    error // after values
	}
	return func(yield func(T, error) bool) {
		results, done := make(chan result, 2), make(chan struct{})
		go func() {
			defer close(results)
			var read result
			send := func() bool {
				select {
				case results <- read:
					read.values = make([]T, 0, readAheadRows)
					return true
				case <-done:
					return false
				}
			}
			for value, err := range rows {
				if read.err = err; err == nil {
					read.values = append(read.values, value)
				}
				if (err != nil || len(read.values) == readAheadRows) && !send() || err != nil {
					return
				}
			}
			send()
		}()
		defer func() {
			close(done)
			for range results { // until the goroutine has ended
			}
		}()
		for read := range results {
			for _, value := range read.values {
				if !yield(value, nil) {
					return
				}
			}
			if read.err != nil {
				var zero T
				yield(zero, read.err)
				return
			}
		}
	}
}
