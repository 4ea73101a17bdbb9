package dataset

import (
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// A ConsensusRow is the consensus on one item. Of Annotation, only the fields about the
// project and the item are used.
type ConsensusRow struct {
	Annotation
	Fields map[string]FieldConsensus // by field key, without fields that do not apply
}

// A FieldConsensus is the consensus on one field of an item. Without labels its method is empty.
type FieldConsensus struct {
	stats.ItemConsensus
	Posterior []float64 // probability of each point of the scale by a model; nil without one
}

const howDescription = "How the value came about: adjudicated (decision of a lead), majority (more than half of the labels), median (the middle label), " +
	"tie_rule (the project's tie rule), dawid_skene (the most probable value by a model of the annotators' errors), tie (no value: needs a decision). Empty: no labels."

// ConsensusTable returns a table with one row per item, or in the long shape per item
// and field.
func ConsensusTable(name string, rows iter.Seq2[ConsensusRow, error]) TableFile {
	return TableFile{name: name, description: "one value per item and field, and how it was determined",
		write: func(w io.Writer, p protocol.Protocol, o WriteOptions) (FileSummary, []Column, error) {
			columns := o.prepare(consensusColumns(p, o))
			sum, err := writeTable(w, p, o, columns, func(t *tableWriter) error {
				for c, err := range rows {
					if err != nil {
						return fmt.Errorf("read the consensus: %w", err)
					}
					if err := t.writeConsensusRow(c); err != nil {
						return fmt.Errorf("write the consensus of %s: %w", c.SourceID, err)
					}
				}
				return nil
			})
			return sum, describeColumns(columns), err
		}}
}

// writeConsensusRow writes the rows of one item.
func (t *tableWriter) writeConsensusRow(c ConsensusRow) error {
	r := &exportRow{Annotation: &c.Annotation, consensus: c.Fields}
	t.summary.Items++
	t.summary.Annotations += c.annotationCount()
	if t.options.Shape == Wide {
		return t.writeRow(r, false)
	}
	return t.writeFields(r, func(f *protocol.Field) bool { _, isAsked := c.Fields[f.Key]; return isAsked })
}

// annotationCount returns the number of annotations of the item. A field need not apply
// in each of them.
func (c ConsensusRow) annotationCount() (n int) {
	for _, s := range c.Fields {
		n = max(n, s.Labels)
	}
	return n
}

func consensusColumns(p protocol.Protocol, o WriteOptions) []exportColumn {
	columns := append([]exportColumn{
		textColumn("project", "The project's key.", func(r *exportRow) string { return r.Project }),
		textColumn("protocol", "The protocol's key.", func(*exportRow) string { return p.Key }),
		numberColumn("version", "The protocol's version.", func(r *exportRow) int { return r.Version }),
		textColumn("item", "The item's id.", func(r *exportRow) string { return r.SourceID }),
		textColumn("record", "The id of the item's record. Items of one record share it.", func(r *exportRow) string {
			return r.RecordID
		}),
	}, itemColumns(p, o)...)
	if o.Shape == Long {
		fields := append([]exportColumn{textColumn("dimension", "The field's key.", func(r *exportRow) string {
			return r.field.Key
		})},
			fieldConsensusColumns("value", "", "", func(r *exportRow) string { return r.field.Key })...)
		if o.HasModel {
			fields = append(fields, posteriorColumns(allPoints(p), "", "", func(r *exportRow) *protocol.Field {
				return r.field
			})...)
		}
		return slices.Concat(columns, markPerField(fields), consensusVerdictColumns(p))
	}
	for _, f := range p.Fields {
		name := answerColumnName(f.Key, columns)
		columns = append(columns, fieldConsensusColumns(name, name+".", f.Title+": ", func(*exportRow) string {
			return f.Key
		})...)
		if o.HasModel {
			columns = append(columns, posteriorColumns(f.Scale.Values(), name+".", f.Title+": ",
				func(*exportRow) *protocol.Field { return &f })...)
		}
	}
	return append(columns, consensusVerdictColumns(p)...)
}

// fieldConsensusColumns returns the columns of the consensus on the field that fieldKey returns for a row. prefix is
// that of all
// but the value.
func fieldConsensusColumns(value, prefix, title string, fieldKey func(*exportRow) string) []exportColumn {
	// cellOf returns a column that is empty where has is false.
	cellOf := func(name, columnType, text string, has func(FieldConsensus) bool,
		get func(FieldConsensus) cell) exportColumn {
		return cellColumn(name, columnType, title+text, func(r *exportRow) cell {
			if c := r.consensus[fieldKey(r)]; has(c) {
				return get(c)
			}
			return cell{}
		})
	}
	hasLabels := func(c FieldConsensus) bool { return c.Labels > 0 }
	return []exportColumn{
		cellOf(value, typeInteger, "The consensus value. Empty: none, or does not apply to this item.",
			func(c FieldConsensus) bool { return c.IsResolved() }, func(c FieldConsensus) cell {
				return numberCell(int64(c.Value))
			}),
		cellOf(prefix+"mean", typeNumber, "The mean of the labels. Empty: no labels.", hasLabels,
			func(c FieldConsensus) cell { return decimalCell(c.Mean) }),
		numberColumn(prefix+"labels", title+"Number of labels.", func(r *exportRow) int {
			return r.consensus[fieldKey(r)].Labels
		}),
		cellOf(prefix+"spread", typeInteger, "The highest label minus the lowest. Empty: no labels.", hasLabels,
			func(c FieldConsensus) cell { return numberCell(int64(c.Spread)) }),
		cellColumn(prefix+"how", typeText, title+howDescription, func(r *exportRow) cell {
			return optionalTextCell(string(r.consensus[fieldKey(r)].Method))
		}),
	}
}

// posteriorColumns returns the columns with the probabilities of values of the field that fieldOf returns for a row.
func posteriorColumns(values []int, prefix, title string, fieldOf func(*exportRow) *protocol.Field) (
	columns []exportColumn) {
	for _, value := range values {
		columns = append(columns, cellColumn(fmt.Sprintf("%sposterior.%d", prefix, value), typeNumber,
			fmt.Sprintf("%sThe probability of the value %d by the model. Empty: no model, or a value that the field does not have.", title, value), func(r *exportRow) cell {
				f := fieldOf(r)
				point := slices.Index(f.Scale.Values(), value)
				if posterior := r.consensus[f.Key].Posterior; point >= 0 && posterior != nil {
					return decimalCell(posterior[point])
				}
				return cell{}
			}))
	}
	return columns
}

// allPoints returns the values of all fields, ascending.
func allPoints(p protocol.Protocol) (values []int) {
	for _, f := range p.Fields {
		values = append(values, f.Scale.Values()...)
	}
	slices.Sort(values)
	return slices.Compact(values)
}
