package postgres

import (
	"errors"
	"iter"
	"testing"
)

// countTo yields 0 to n-1, and then err. It sets ended when it returns.
func countTo(n int, err error, ended *bool) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		defer func() { *ended = true }()
		for i := range n {
			if !yield(i, nil) {
				return
			}
		}
		if err != nil {
			yield(0, err)
		}
	}
}

func TestReadAhead_AllInOrder(t *testing.T) {
	errLast := errors.New("the last row")
	for _, n := range []int{0, 1, readAheadRows, 10*readAheadRows + 1} {
		for _, want := range []error{nil, errLast} {
			ended, next := false, 0
			var got error
			for i, err := range readAhead(countTo(n, want, &ended)) {
				if got = err; err == nil && i != next {
					t.Fatalf("row %d is %d", next, i)
				} else if err == nil {
					next++
				}
			}
			if next != n || !errors.Is(got, want) || !ended {
				t.Errorf("%d rows of %d, error %v, ended %t", next, n, got, ended)
			}
		}
	}
}

func TestReadAhead_Stopped_ReadsNoMore(t *testing.T) {
	ended := false
	for i := range readAhead(countTo(100*readAheadRows, nil, &ended)) {
		if i == readAheadRows {
			break
		}
	}
	if !ended {
		t.Error("rows are read after the end")
	}
}
