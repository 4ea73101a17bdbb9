package sheet

import (
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A Column is one column of an export (a key, in JSONL).
type Column struct {
	Name  string `json:"name"`
	Type  string `json:"type"` // "text", "integer", "boolean" or "json"
	Means string `json:"means"`
}

// A line is what one row of an export is made of.
type line struct {
	*Annotation
	field  protocol.Field // of a long row
	broken []string       // ids of the rules that the answers break

	settled map[string]Settled // of a row of the consensus
}

// A filled column knows its cell in each row.
type filled struct {
	Column
	cell func(line) (cell, error)
}

// Columns returns the columns of an export in their order, which follows from p
// and o alone. Columns from people's data begin with "item." or "meta."; answers
// carry their own key, or "answer." and their key where another column has that
// name.
func Columns(p protocol.Protocol, o Options) []Column { return plain(columnsOf(p, o)) }

func plain(columns []filled) []Column {
	all := []Column{}
	for _, c := range columns {
		all = append(all, c.Column)
	}
	return all
}

func columnsOf(p protocol.Protocol, o Options) []filled {
	columns := slices.Concat(origin(p), timing(o), itself(p, o))
	if o.Shape == Long {
		columns = append(columns, longAnswer(p)...)
	} else {
		columns = append(columns, wideAnswers(p, columns)...)
	}
	return append(columns, observed(p)...)
}

// itself returns the columns that tell of the item: what annotators read, what
// follows from it, and what they never see.
func itself(p protocol.Protocol, o Options) (columns []filled) {
	if o.Texts {
		for _, part := range p.Unit.Parts {
			columns = append(columns, itemColumns(part)...)
		}
	}
	for _, f := range p.Facts {
		columns = append(columns, bit("fact."+f.Key, f.Title, func(l line) bool { return l.Facts[f.Key] }))
	}
	for _, key := range o.Meta {
		columns = append(columns, exact("meta."+key, "json", "The item's metadata under this name.",
			func(l line) cell { return rawCell(l.Meta[key]) }))
	}
	return columns
}

// exact returns a column whose cells cannot fail.
func exact(name, kind, means string, of func(line) cell) filled {
	return filled{Column{name, kind, means}, func(l line) (cell, error) { return of(l), nil }}
}

func text(name, means string, of func(line) string) filled {
	return exact(name, "text", means, func(l line) cell { return textCell(of(l)) })
}

func number(name, means string, of func(line) int) filled {
	return exact(name, "integer", means, func(l line) cell { return numberCell(int64(of(l))) })
}

func bit(name, means string, of func(line) bool) filled {
	return exact(name, "integer", means+". 1: so, 0: not so.", func(l line) cell { return bitCell(of(l)) })
}

// origin returns the columns that say what was labelled, by whom and how.
func origin(p protocol.Protocol) []filled {
	return []filled{
		text("project", "The project's key.", func(l line) string { return l.Project }),
		text("protocol", "The protocol's key.", func(line) string { return p.Key }),
		number("version", "The protocol's version.", func(l line) int { return l.Version }),
		number("revision", "The wording that the annotator read.", func(l line) int { return l.Revision }),
		text("batch", "The batch's name.", func(l line) string { return l.Batch }),
		text("annotation", "The annotation's id.", func(l line) string { return l.ID }),
		text("kind", "work, duplicate (the same item shown again), spoiled (a duplicate that does not count) or calibration.", func(l line) string { return l.Kind }),
		exact("left_out", "text", "Why it counts for nothing: beside_break, a duplicate just before or after a break. Empty: it counts.", func(l line) cell { return someText(leftOut(l)) }),
		number("attempt", "Which attempt at this assignment, from 1.", func(l line) int { return l.Attempt }),
		exact("current", "boolean", "false: a later attempt replaced it.", func(l line) cell { return boolCell(l.Current) }),
		exact("replaces", "text", "The annotation that it replaces. Empty: none.", func(l line) cell { return someText(l.Replaces) }),
		text("item", "The item's own id.", func(l line) string { return l.Item }),
		text("record", "The id that items of one record share.", func(l line) string { return l.Record }),
		text("annotator", "A pseudonym, the same through the project.", func(l line) string { return l.Annotator }),
	}
}

// leftOut says why an annotation counts for nothing, if it does not.
func leftOut(l line) string {
	if l.Kind == "spoiled" {
		return "beside_break"
	}
	return ""
}

// timing returns the columns that say when and in which place, coarse unless
// asked otherwise, for exact times can give people away.
func timing(o Options) []filled {
	const coarse = 5 * time.Second
	when := []filled{
		text("submitted_on", "The day of submission, UTC.", func(l line) string { return l.Submitted.UTC().Format(time.DateOnly) }),
		number("active_s", "Working time in seconds, to the nearest 5.", func(l line) int { return int(l.Active.Round(coarse).Seconds()) }),
	}
	if o.Exact {
		when = []filled{
			text("submitted_at", "The time of submission, UTC.", func(l line) string { return l.Submitted.UTC().Format("2006-01-02T15:04:05.000Z") }),
			number("active_ms", "Working time in milliseconds.", func(l line) int { return int(l.Active.Milliseconds()) }),
		}
	}
	return append(when,
		number("position", "The place in the annotator's sequence, from 1.", func(l line) int { return l.Position }),
		number("items_since_break", "Items since the annotator's last break.", func(l line) int { return l.SinceBreak }),
		number("sitting_minutes", "Minutes since the annotator's session began; half an hour of nothing done ends one.", func(l line) int { return l.Sitting }))
}

// itemColumns returns the columns of one part of what annotators read.
func itemColumns(part protocol.Part) []filled {
	name := "item." + part.Key
	piece := func(l line) project.Piece { return l.Content[part.Key] }
	switch part.Kind {
	case protocol.Conversation:
		return []filled{listColumn(name, part.Title, func(l line) (any, bool) { return piece(l).Turns, piece(l).Turns != nil })}
	case protocol.Passages:
		return []filled{listColumn(name, part.Title, func(l line) (any, bool) { return piece(l).Passages, piece(l).Passages != nil })}
	case protocol.Passage:
		return passageColumns(name, part.Title, func(l line) (p project.Passage) {
			if len(piece(l).Passages) > 0 {
				p = piece(l).Passages[0]
			}
			return p
		})
	}
	return []filled{text(name, part.Title, func(l line) string { return piece(l).Text })}
}

func listColumn(name, title string, of func(line) (any, bool)) filled {
	return filled{Column{name, "json", title}, func(l line) (cell, error) {
		list, ok := of(l)
		if !ok {
			return cell{}, nil
		}
		return jsonCell(list)
	}}
}

func passageColumns(name, title string, of func(line) project.Passage) []filled {
	return []filled{
		text(name, title, func(l line) string { return of(l).Text }),
		text(name+".id", title+": its id.", func(l line) string { return of(l).ID }),
		text(name+".source", title+": where it comes from.", func(l line) string { return of(l).Source }),
		exact(name+".rank", "integer", title+": its rank, from 1.", func(l line) cell {
			if of(l).Rank == 0 {
				return cell{}
			}
			return numberCell(int64(of(l).Rank))
		}),
	}
}
