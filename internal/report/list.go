package report

import (
	"encoding/json"
	"iter"
	"slices"
)

// A List is a list of rows. Those of a large report are computed as they are read, because
// they would take more memory than the labels.
type List[T any] struct {
	length int
	row    func(i int) T
}

// NewList returns the list of some rows.
func NewList[T any](rows []T) List[T] {
	return List[T]{len(rows), func(i int) T { return rows[i] }}
}

// Len returns the number of rows.
func (l List[T]) Len() int { return l.length }

// At returns row i, from 0.
func (l List[T]) At(i int) T { return l.row(i) }

// All yields the rows.
func (l List[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		for i := range l.length {
			if !yield(l.row(i)) {
				return
			}
		}
	}
}

func (l List[T]) isNull() bool { return l.row == nil }

func (l List[T]) anyAt(i int) any { return l.row(i) }

// MarshalJSON implements json.Marshaler.
func (l List[T]) MarshalJSON() ([]byte, error) {
	rows := slices.Collect(l.All())
	if rows == nil && !l.isNull() {
		rows = []T{}
	}
	return marshalUnescaped(rows)
}

// UnmarshalJSON implements json.Unmarshaler.
func (l *List[T]) UnmarshalJSON(text []byte) error {
	var rows []T
	if err := json.Unmarshal(text, &rows); err != nil || rows == nil {
		*l = List[T]{}
		return err
	}
	*l = NewList(rows)
	return nil
}
