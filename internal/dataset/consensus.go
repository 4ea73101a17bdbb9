package dataset

import (
	"fmt"
	"io"
	"iter"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A ConsensusRow is what an export tells of what people settled on for one item.
// Of the annotation, only what is about the project and the item counts.
type ConsensusRow struct {
	Annotation
	Fields map[string]FieldConsensus // by field; a field that was not asked has none
}

// A FieldConsensus is the one answer of an item to one field.
type FieldConsensus struct {
	Source      string // how the answers came to one
	Value       *int   // nil: they did not
	AnswerCount int    // how many there are
}

// Unresolved is the source where there is no answer at all.
const Unresolved = "unresolved"

const sourceDescription = "How the answers came to one: adjudicated (a lead decided), unanimous, majority (more than half alike), " +
	"median (the middle one), plurality (the one given most often), single (there is one only), tied (no one answer: somebody has to decide), unresolved (no answers)."

// ConsensusTable returns the table of that name with one row for each item, or for
// each item and field.
func ConsensusTable(name string, rows iter.Seq2[ConsensusRow, error]) TableFile {
	return TableFile{name, func(w io.Writer, p protocol.Protocol, o WriteOptions) (FileSummary, []Column, error) {
		columns := consensusColumns(p, o)
		sum, err := writeConsensus(w, p, o, columns, rows)
		return sum, publicColumns(columns), err
	}}
}

func writeConsensus(w io.Writer, p protocol.Protocol, o WriteOptions, columns []exportColumn, rows iter.Seq2[ConsensusRow, error]) (FileSummary, error) {
	t, err := newTableWriter(w, p, o, columns)
	if err != nil {
		return FileSummary{}, err
	}
	for c, err := range rows {
		if err != nil {
			return FileSummary{}, fmt.Errorf("read the consensus: %w", err)
		}
		if err := t.writeConsensusRow(c); err != nil {
			return FileSummary{}, fmt.Errorf("write the consensus of %s: %w", c.SourceID, err)
		}
	}
	return t.finish()
}

// writeConsensusRow writes the rows of one item.
func (t *tableWriter) writeConsensusRow(c ConsensusRow) error {
	l := exportRow{Annotation: &c.Annotation, consensus: c.Fields}
	t.summary.Items++
	t.summary.Annotations += c.annotationCount()
	if t.options.Shape == Wide {
		return t.writeRow(l)
	}
	for _, f := range t.protocol.Fields {
		if _, isAsked := c.Fields[f.Key]; !isAsked {
			continue
		}
		l.field = f
		if err := t.writeRow(l); err != nil {
			return err
		}
	}
	return nil
}

// annotationCount returns how many annotations there are of c's item. Not every
// field has to be asked in each.
func (c ConsensusRow) annotationCount() (n int) {
	for _, s := range c.Fields {
		n = max(n, s.AnswerCount)
	}
	return n
}

func consensusColumns(p protocol.Protocol, o WriteOptions) []exportColumn {
	columns := append([]exportColumn{
		textColumn("project", "The project's key.", func(l exportRow) string { return l.Project }),
		textColumn("protocol", "The protocol's key.", func(exportRow) string { return p.Key }),
		numberColumn("version", "The protocol's version.", func(l exportRow) int { return l.Version }),
		textColumn("item", "The item's own id.", func(l exportRow) string { return l.SourceID }),
		textColumn("record", "The id that items of one record share.", func(l exportRow) string { return l.RecordID }),
	}, itemInfoColumns(p, o)...)
	if o.Shape == Long {
		columns = append(columns, textColumn("dimension", "The field's key.", func(l exportRow) string { return l.field.Key }))
		return append(columns, fieldConsensusColumns("value", "source", "answers", "", func(l exportRow) string { return l.field.Key })...)
	}
	for _, f := range p.Fields {
		name := answerColumnName(f.Key, columns)
		columns = append(columns, fieldConsensusColumns(name, name+".source", name+".answers", f.Title+": ", func(exportRow) string { return f.Key })...)
	}
	return columns
}

// fieldConsensusColumns returns the columns of what was settled for the field that of
// names.
func fieldConsensusColumns(value, source, answerCount, title string, fieldKey func(exportRow) string) []exportColumn {
	return []exportColumn{
		cellColumn(value, "integer", title+"The answer settled on. Empty: none, or not asked of this item.", func(l exportRow) cell {
			if v := l.consensus[fieldKey(l)].Value; v != nil {
				return numberCell(int64(*v))
			}
			return cell{}
		}),
		cellColumn(source, "text", title+sourceDescription, func(l exportRow) cell { return optionalTextCell(l.consensus[fieldKey(l)].Source) }),
		numberColumn(answerCount, title+"How many answers there are.", func(l exportRow) int { return l.consensus[fieldKey(l)].AnswerCount }),
	}
}
