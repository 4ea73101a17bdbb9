package dataset

import (
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A Column is one column of an export (a key, in JSONL).
type Column struct {
	Name        string `json:"name"`
	Type        string `json:"type"` // "text", "integer", "boolean" or "json"
	Description string `json:"means"`
}

// A exportRow is what one row of an export is made of.
type exportRow struct {
	*Annotation
	field       protocol.Field // of a long row
	brokenRules []string       // ids of the rules that the answers break

	consensus map[string]FieldConsensus // of a row of the consensus
}

// A exportColumn column knows its cell in each row.
type exportColumn struct {
	Column
	cell func(exportRow) (cell, error)
}

// Columns returns the columns of an export in their order, which follows from p
// and o alone. Columns from people's data begin with "item." or "meta."; answers
// carry their own key, or "answer." and their key where another column has that
// name.
func Columns(p protocol.Protocol, o WriteOptions) []Column { return publicColumns(buildColumns(p, o)) }

func publicColumns(columns []exportColumn) []Column {
	all := []Column{}
	for _, c := range columns {
		all = append(all, c.Column)
	}
	return all
}

func buildColumns(p protocol.Protocol, o WriteOptions) []exportColumn {
	columns := slices.Concat(originColumns(p), timingColumns(o), itemInfoColumns(p, o))
	if o.Shape == Long {
		columns = append(columns, longAnswerColumns(p)...)
	} else {
		columns = append(columns, wideAnswerColumns(p, columns)...)
	}
	return append(columns, observationColumns(p)...)
}

// itemInfoColumns returns the columns that tell of the item: what annotators read, what
// follows from it, and what they never see.
func itemInfoColumns(p protocol.Protocol, o WriteOptions) (columns []exportColumn) {
	if o.IncludeTexts {
		for _, part := range p.Unit.Parts {
			columns = append(columns, partColumns(part)...)
		}
	}
	for _, f := range p.Facts {
		columns = append(columns, bitColumn("fact."+f.Key, f.Title, func(l exportRow) bool { return l.Facts[f.Key] }))
	}
	for _, key := range o.MetaKeys {
		columns = append(columns, cellColumn("meta."+key, "json", "The item's metadata under this name.",
			func(l exportRow) cell { return rawCell(l.Meta[key]) }))
	}
	return columns
}

// cellColumn returns a column whose cells cannot fail.
func cellColumn(name, columnType, description string, get func(exportRow) cell) exportColumn {
	return exportColumn{Column{name, columnType, description}, func(l exportRow) (cell, error) { return get(l), nil }}
}

func textColumn(name, description string, get func(exportRow) string) exportColumn {
	return cellColumn(name, "text", description, func(l exportRow) cell { return textCell(get(l)) })
}

func numberColumn(name, description string, get func(exportRow) int) exportColumn {
	return cellColumn(name, "integer", description, func(l exportRow) cell { return numberCell(int64(get(l))) })
}

func bitColumn(name, description string, get func(exportRow) bool) exportColumn {
	return cellColumn(name, "integer", description+". 1: so, 0: not so.", func(l exportRow) cell { return bitCell(get(l)) })
}

// originColumns returns the columns that say what was labelled, by whom and how.
func originColumns(p protocol.Protocol) []exportColumn {
	return []exportColumn{
		textColumn("project", "The project's key.", func(l exportRow) string { return l.Project }),
		textColumn("protocol", "The protocol's key.", func(exportRow) string { return p.Key }),
		numberColumn("version", "The protocol's version.", func(l exportRow) int { return l.Version }),
		numberColumn("revision", "The wording that the annotator read.", func(l exportRow) int { return l.Revision }),
		textColumn("batch", "The batch's name.", func(l exportRow) string { return l.Batch }),
		textColumn("annotation", "The annotation's id.", func(l exportRow) string { return l.ID }),
		textColumn("kind", "work, duplicate (the same item shown again), spoiled (a duplicate that does not count) or calibration.", func(l exportRow) string { return l.Kind }),
		cellColumn("left_out", "text", "Why it counts for nothing: beside_break, a duplicate just before or after a break. Empty: it counts.", func(l exportRow) cell { return optionalTextCell(exclusionReason(l)) }),
		numberColumn("attempt", "Which attempt at this assignment, from 1.", func(l exportRow) int { return l.AttemptNo }),
		cellColumn("current", "boolean", "false: a later attempt replaced it.", func(l exportRow) cell { return boolCell(l.Current) }),
		cellColumn("replaces", "text", "The annotation that it replaces. Empty: none.", func(l exportRow) cell { return optionalTextCell(l.ReplacesID) }),
		textColumn("item", "The item's own id.", func(l exportRow) string { return l.SourceID }),
		textColumn("record", "The id that items of one record share.", func(l exportRow) string { return l.RecordID }),
		textColumn("annotator", "A pseudonym, the same through the project.", func(l exportRow) string { return l.Annotator }),
	}
}

// exclusionReason says why an annotation counts for nothing, if it does not.
func exclusionReason(l exportRow) string {
	if l.Kind == "spoiled" {
		return "beside_break"
	}
	return ""
}

// timingColumns returns the columns that say when and in which place, coarse unless
// asked otherwise, for exact times can give people away.
func timingColumns(o WriteOptions) []exportColumn {
	const coarse = 5 * time.Second
	columns := []exportColumn{
		textColumn("submitted_on", "The day of submission, UTC.", func(l exportRow) string { return l.SubmittedAt.UTC().Format(time.DateOnly) }),
		numberColumn("active_s", "Working time in seconds, to the nearest 5.", func(l exportRow) int { return int(l.ActiveTime.Round(coarse).Seconds()) }),
	}
	if o.ExactTimes {
		columns = []exportColumn{
			textColumn("submitted_at", "The time of submission, UTC.", func(l exportRow) string { return l.SubmittedAt.UTC().Format("2006-01-02T15:04:05.000Z") }),
			numberColumn("active_ms", "Working time in milliseconds.", func(l exportRow) int { return int(l.ActiveTime.Milliseconds()) }),
		}
	}
	return append(columns,
		numberColumn("position", "The place in the annotator's sequence, from 1.", func(l exportRow) int { return l.SequenceNo }),
		numberColumn("items_since_break", "Items since the annotator's last break.", func(l exportRow) int { return l.ItemsSinceBreak }),
		numberColumn("sitting_minutes", "Minutes since the annotator's session began; half an hour of nothing done ends one.", func(l exportRow) int { return l.SessionMinutes }))
}

// partColumns returns the columns of one part of what annotators read.
func partColumns(part protocol.Part) []exportColumn {
	name := "item." + part.Key
	content := func(l exportRow) project.PartContent { return l.Content[part.Key] }
	switch part.Kind {
	case protocol.PartConversation:
		return []exportColumn{listColumn(name, part.Title, func(l exportRow) (any, bool) { return content(l).Turns, content(l).Turns != nil })}
	case protocol.PartChunks:
		return []exportColumn{listColumn(name, part.Title, func(l exportRow) (any, bool) { return content(l).Chunks, content(l).Chunks != nil })}
	case protocol.PartChunk:
		return chunkColumns(name, part.Title, func(l exportRow) (p project.Chunk) {
			if len(content(l).Chunks) > 0 {
				p = content(l).Chunks[0]
			}
			return p
		})
	}
	return []exportColumn{textColumn(name, part.Title, func(l exportRow) string { return content(l).Text })}
}

func listColumn(name, title string, get func(exportRow) (any, bool)) exportColumn {
	return exportColumn{Column{name, "json", title}, func(l exportRow) (cell, error) {
		list, ok := get(l)
		if !ok {
			return cell{}, nil
		}
		return jsonCell(list)
	}}
}

func chunkColumns(name, title string, get func(exportRow) project.Chunk) []exportColumn {
	return []exportColumn{
		textColumn(name, title, func(l exportRow) string { return get(l).Text }),
		textColumn(name+".id", title+": its id.", func(l exportRow) string { return get(l).ID }),
		textColumn(name+".source", title+": where it comes from.", func(l exportRow) string { return get(l).Source }),
		cellColumn(name+".rank", "integer", title+": its rank, from 1.", func(l exportRow) cell {
			if get(l).Rank == 0 {
				return cell{}
			}
			return numberCell(int64(get(l).Rank))
		}),
	}
}
