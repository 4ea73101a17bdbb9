package sheet

import (
	"fmt"
	"io"
	"iter"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A Consensus is what an export tells of what people settled on for one item.
// Of the annotation, only what is about the project and the item counts.
type Consensus struct {
	Annotation
	Settled map[string]Settled // by field; a field that was not asked has none
}

// A Settled is the one answer of an item to one field.
type Settled struct {
	Source  string // how the answers came to one
	Value   *int   // nil: they did not
	Answers int    // how many there are
}

// Unresolved is the source where there is no answer at all.
const Unresolved = "unresolved"

const sourceMeans = "How the answers came to one: adjudicated (a lead decided), unanimous, majority (more than half alike), " +
	"median (the middle one), plurality (the one given most often), single (there is one only), tied (no one answer: somebody has to decide), unresolved (no answers)."

// Consensuses returns the table of that name with one row for each item, or for
// each item and field.
func Consensuses(name string, rows iter.Seq2[Consensus, error]) Table {
	return Table{name, func(w io.Writer, p protocol.Protocol, o Options) (Summary, []Column, error) {
		columns := consensusColumns(p, o)
		sum, err := writeConsensus(w, p, o, columns, rows)
		return sum, plain(columns), err
	}}
}

func writeConsensus(w io.Writer, p protocol.Protocol, o Options, columns []filled, rows iter.Seq2[Consensus, error]) (Summary, error) {
	x, err := newExport(w, p, o, columns)
	if err != nil {
		return Summary{}, err
	}
	for c, err := range rows {
		if err != nil {
			return Summary{}, fmt.Errorf("read the consensus: %w", err)
		}
		if err := x.consensus(c); err != nil {
			return Summary{}, fmt.Errorf("write the consensus of %s: %w", c.Item, err)
		}
	}
	return x.end()
}

// consensus writes the rows of one item.
func (x *export) consensus(c Consensus) error {
	l := line{Annotation: &c.Annotation, settled: c.Settled}
	x.sum.Items++
	x.sum.Annotations += c.annotations()
	if x.o.Shape == Wide {
		return x.line(l)
	}
	for _, f := range x.p.Fields {
		if _, asked := c.Settled[f.Key]; !asked {
			continue
		}
		l.field = f
		if err := x.line(l); err != nil {
			return err
		}
	}
	return nil
}

// annotations returns how many annotations there are of c's item. Not every
// field has to be asked in each.
func (c Consensus) annotations() (n int) {
	for _, s := range c.Settled {
		n = max(n, s.Answers)
	}
	return n
}

func consensusColumns(p protocol.Protocol, o Options) []filled {
	columns := append([]filled{
		text("project", "The project's key.", func(l line) string { return l.Project }),
		text("protocol", "The protocol's key.", func(line) string { return p.Key }),
		number("version", "The protocol's version.", func(l line) int { return l.Version }),
		text("item", "The item's own id.", func(l line) string { return l.Item }),
		text("record", "The id that items of one record share.", func(l line) string { return l.Record }),
	}, itself(p, o)...)
	if o.Shape == Long {
		columns = append(columns, text("dimension", "The field's key.", func(l line) string { return l.field.Key }))
		return append(columns, settledColumns("value", "source", "answers", "", func(l line) string { return l.field.Key })...)
	}
	for _, f := range p.Fields {
		name := free(f.Key, columns)
		columns = append(columns, settledColumns(name, name+".source", name+".answers", f.Title+": ", func(line) string { return f.Key })...)
	}
	return columns
}

// settledColumns returns the columns of what was settled for the field that of
// names.
func settledColumns(value, source, answers, title string, of func(line) string) []filled {
	return []filled{
		exact(value, "integer", title+"The answer settled on. Empty: none, or not asked of this item.", func(l line) cell {
			if v := l.settled[of(l)].Value; v != nil {
				return numberCell(int64(*v))
			}
			return cell{}
		}),
		exact(source, "text", title+sourceMeans, func(l line) cell { return someText(l.settled[of(l)].Source) }),
		number(answers, title+"How many answers there are.", func(l line) int { return l.settled[of(l)].Answers }),
	}
}
