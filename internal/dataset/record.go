package dataset

import (
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A Record is a row of a table other than labels. Of Annotation, only the answers and what
// the item columns need are used.
type Record struct {
	Annotation
	Values []any // of the columns: nil, string, int, int64, float64, bool or time.Time; a list is JSON
}

// A RecordSpec describes a table of records.
type RecordSpec struct {
	Name            string
	Description     string // of the rows
	Columns         []RecordColumn
	HasAnswers      bool // in the shape of the export
	HasObservations bool // with notes
	HasItem         bool // with the item columns
}

// A RecordColumn is a column of records. A moment is exact or a day, as the export asks.
type RecordColumn struct {
	Name, Type, Description string
}

// The types of record columns.
const (
	TextColumn    = typeText
	IntegerColumn = typeInteger
	NumberColumn  = typeNumber
	BooleanColumn = typeBoolean
	ListColumn    = typeJSON
	MomentColumn  = "moment"
)

// RecordTable returns a table of records.
func RecordTable(spec RecordSpec, rows iter.Seq2[Record, error]) TableFile {
	return TableFile{name: spec.Name, description: spec.Description,
		peek: func() (hasRows bool, stop func(), err error) {
			next, stop := iter.Pull2(rows)
			first, err, hasRows := next()
			if err != nil || !hasRows {
				stop()
				return false, nil, err
			}
			rows = func(yield func(Record, error) bool) {
				for record, err, isRow := first, error(nil), true; isRow; record, err, isRow = next() {
					if !yield(record, err) {
						return
					}
				}
			}
			return true, stop, nil
		},
		write: func(w io.Writer, p protocol.Protocol, o WriteOptions) (FileSummary, []Column, error) {
			columns := o.prepare(spec.columns(p, o))
			sum, err := writeTable(w, p, o, columns, func(t *tableWriter) error { return t.writeRecords(spec, rows) })
			return sum, describeColumns(columns), err
		}}
}

func (s RecordSpec) columns(p protocol.Protocol, o WriteOptions) (columns []exportColumn) {
	for i, c := range s.Columns {
		name, columnType, description := c.Name, c.Type, c.Description
		if c.Type == MomentColumn {
			name, columnType, description = c.Name+"_on", typeDate, c.Description+" The day in UTC."
			if o.ExactTimes {
				name, columnType, description = c.Name+"_at", typeTimestamp, c.Description+" UTC."
			}
		}
		columns = append(columns, cellColumn(name, columnType, description, func(r *exportRow) cell {
			return r.extra[i]
		}))
	}
	if s.HasItem {
		columns = append(columns, itemColumns(p, o)...)
	}
	if s.HasAnswers {
		if o.Shape == Long {
			columns = append(columns, longAnswerColumns(p)...)
		} else {
			columns = append(columns, wideAnswerColumns(p, columns)...)
		}
	}
	if s.HasObservations {
		columns = append(columns, observationColumns(p)...)
	}
	return columns
}

func (t *tableWriter) writeRecords(spec RecordSpec, rows iter.Seq2[Record, error]) error {
	for record, err := range rows {
		if err != nil {
			return fmt.Errorf("read the %s: %w", spec.Name, err)
		}
		r := &exportRow{Annotation: &record.Annotation, extra: make([]cell, len(spec.Columns))}
		for i, c := range spec.Columns {
			if r.extra[i], err = recordCell(c.Type, record.Values[i], t.options.ExactTimes); err != nil {
				return err
			}
		}
		if spec.HasObservations {
			r.brokenRules = t.checker.brokenRules(record.Facts, record.Answers)
			t.summary.countAnnotation(r.brokenRules)
		}
		if spec.HasAnswers {
			err = t.writeAnswers(r)
		} else {
			err = t.writeRow(r, false)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func recordCell(columnType string, value any, exactTimes bool) (cell, error) {
	switch value := value.(type) {
	case nil:
		return cell{}, nil
	case string:
		return optionalTextCell(value), nil
	case bool:
		return boolCell(value), nil
	case int:
		return numberCell(int64(value)), nil
	case int16:
		return numberCell(int64(value)), nil
	case int32:
		return numberCell(int64(value)), nil
	case int64:
		return numberCell(value), nil
	case float64:
		return decimalCell(value), nil
	case time.Time:
		if exactTimes {
			return timeCell(value), nil
		}
		return dateCell(value), nil
	}
	if columnType == ListColumn {
		return jsonCell(value)
	}
	return cell{}, fmt.Errorf("no cell for %T", value)
}
