package study

import (
	"bytes"
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

// NewComputedList returns a list whose rows are computed as they are read.
func NewComputedList[T any](length int, row func(i int) T) List[T] { return List[T]{length, row} }

// NewEmptyList returns a list that has lost its rows and keeps its length.
func NewEmptyList[T any](length int) List[T] { return List[T]{length: length} }

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

// IsNull reports whether the list has no rows to read.
func (l List[T]) IsNull() bool { return l.row == nil }

// AnyAt returns row i.
func (l List[T]) AnyAt(i int) any { return l.row(i) }

// MarshalJSON implements json.Marshaler.
func (l List[T]) MarshalJSON() ([]byte, error) {
	rows := slices.Collect(l.All())
	if rows == nil && !l.IsNull() {
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

// marshalUnescaped returns a value as JSON in which < and & stay as they are.
func marshalUnescaped(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}
