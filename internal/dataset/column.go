package dataset

import (
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A Column describes one column of an export; in JSONL, one key.
type Column struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description"`
}

// The types of columns.
const (
	typeText      = "text"
	typeInteger   = "integer"
	typeNumber    = "number"
	typeBoolean   = "boolean" // TRUE and FALSE in CSV
	typeDate      = "date"
	typeTimestamp = "timestamp" // UTC, in microseconds
	typeJSON      = "json"      // a list or an object; text with JSON in CSV and Parquet
	typeJSONText  = "json text" // text with JSON in every format
)

// A MetaColumn is a metadata column of items.
type MetaColumn struct {
	Key  string
	Type string // "text", "integer", "number", "boolean", or "json text" for mixed values
}

// An exportRow is the data of one row.
type exportRow struct {
	*Annotation
	field       *protocol.Field // of a long row
	brokenRules []string        // ids of the rules that the answers break

	consensus map[string]FieldConsensus // by field; of a consensus row
	extra     []cell                    // of a record
}

// An exportColumn computes its cell of a row.
type exportColumn struct {
	Column
	cell     func(*exportRow) (cell, error)
	perField bool // in the long shape: differs between the rows of an annotation or item
}

// markPerField returns columns as perField.
func markPerField(columns []exportColumn) []exportColumn {
	for i := range columns {
		columns[i].perField = true
	}
	return columns
}

func describeColumns(columns []exportColumn) []Column {
	descriptions := []Column{}
	for _, c := range columns {
		descriptions = append(descriptions, c.Column)
	}
	return descriptions
}

// prepare returns columns for the layout. The datasets library has one type per column, so
// that lists and objects are texts there.
func (o WriteOptions) prepare(columns []exportColumn) []exportColumn {
	if o.Layout != HuggingFace {
		return columns
	}
	for i, c := range columns {
		if c.Type == typeJSON {
			columns[i].Type = typeJSONText
			columns[i].cell = func(r *exportRow) (cell, error) {
				value, err := c.cell(r)
				if value.kind == cellJSON {
					value.kind = cellText
				}
				return value, err
			}
		}
	}
	return columns
}

// annotationColumns returns the columns of annotations in order. Columns of imported
// data start with "item." or "meta.". Answers use their field's key, or "answer." and
// the key if another column has that name.
func annotationColumns(p protocol.Protocol, o WriteOptions) []exportColumn {
	columns := slices.Concat(originColumns(p), timingColumns(o), itemColumns(p, o))
	if o.Shape == Long {
		columns = append(columns, longAnswerColumns(p)...)
	} else {
		columns = append(columns, wideAnswerColumns(p, columns)...)
	}
	return append(columns, observationColumns(p)...)
}

// itemColumns returns the columns of the item: its content, facts and metadata.
func itemColumns(p protocol.Protocol, o WriteOptions) (columns []exportColumn) {
	if o.IncludeTexts {
		for _, part := range p.Unit.Parts {
			columns = append(columns, partColumns(part)...)
		}
	}
	for _, f := range p.Facts {
		columns = append(columns, bitColumn("fact."+f.Key, f.Title, func(r *exportRow) bool { return r.Facts[f.Key] }))
	}
	for _, m := range o.MetaColumns {
		columns = append(columns, cellColumn("meta."+m.Key, m.Type,
			"Metadata of the item, which annotators did not see.",
			func(r *exportRow) cell { return metaCell(m.Type, r.Meta[m.Key]) }))
	}
	return columns
}

// cellColumn returns a column with cells that cannot fail.
func cellColumn(name, columnType, description string, get func(*exportRow) cell) exportColumn {
	return exportColumn{Column: Column{name, columnType, description}, cell: func(r *exportRow) (cell, error) {
		return get(r), nil
	}}
}

func textColumn(name, description string, get func(*exportRow) string) exportColumn {
	return cellColumn(name, typeText, description, func(r *exportRow) cell { return textCell(get(r)) })
}

func numberColumn(name, description string, get func(*exportRow) int) exportColumn {
	return cellColumn(name, typeInteger, description, func(r *exportRow) cell { return numberCell(int64(get(r))) })
}

func bitColumn(name, description string, get func(*exportRow) bool) exportColumn {
	return cellColumn(name, typeInteger, description+". 1 = yes, 0 = no.", func(r *exportRow) cell {
		return bitCell(get(r))
	})
}

// originColumns returns the columns that identify the annotation, its item and its annotator.
func originColumns(p protocol.Protocol) []exportColumn {
	return []exportColumn{
		textColumn("project", "The project's key.", func(r *exportRow) string { return r.Project }),
		textColumn("protocol", "The protocol's key.", func(*exportRow) string { return p.Key }),
		numberColumn("version", "The protocol's version.", func(r *exportRow) int { return r.Version }),
		numberColumn("revision", "The revision of the protocol that the batch used at submission.",
			func(r *exportRow) int { return r.Revision }),
		textColumn("batch", "The batch's name.", func(r *exportRow) string { return r.Batch }),
		textColumn("annotation", "The annotation's id.", func(r *exportRow) string { return r.ID }),
		textColumn("kind", "work, duplicate (the same item shown a second time), not_blind (given after seeing other answers), gold (a hidden item with a known answer), round (an item labeled again in a round) or calibration.",
			func(r *exportRow) string { return r.Kind }),
		numberColumn("attempt_no", "The attempt at this assignment, from 1.", func(r *exportRow) int {
			return r.AttemptNo
		}),
		cellColumn("current", typeBoolean, "false if a later attempt replaced the annotation.",
			func(r *exportRow) cell { return boolCell(r.Current) }),
		cellColumn("replaces_id", typeText, "The id of the annotation that this one replaces. Empty: none.",
			func(r *exportRow) cell { return optionalTextCell(r.ReplacesID) }),
		textColumn("item", "The item's id.", func(r *exportRow) string { return r.SourceID }),
		textColumn("record", "The id of the item's record. Items of one record share it.", func(r *exportRow) string {
			return r.RecordID
		}),
		textColumn("annotator", "The annotator's pseudonym, the same throughout the project.",
			func(r *exportRow) string { return r.Annotator }),
	}
}

// timingColumns returns the columns of times and positions. Times are coarse by
// default, because exact times can identify annotators.
func timingColumns(o WriteOptions) []exportColumn {
	const coarse = 5 * time.Second
	columns := []exportColumn{
		cellColumn("submitted_on", typeDate, "The day of submission (UTC).", func(r *exportRow) cell {
			return dateCell(r.SubmittedAt)
		}),
		numberColumn("active_s", "Active time in seconds, rounded to 5; 1 if it is shorter than 2.5, 0 if it was not measured.", func(r *exportRow) int {
			if r.ActiveTime > 0 && r.ActiveTime < coarse/2 {
				return 1
			}
			return int(r.ActiveTime.Round(coarse).Seconds())
		}),
	}
	if o.ExactTimes {
		columns = []exportColumn{
			cellColumn("submitted_at", typeTimestamp, "The time of submission (UTC).", func(r *exportRow) cell {
				return timeCell(r.SubmittedAt)
			}),
			numberColumn("active_ms", "Active time in milliseconds.", func(r *exportRow) int {
				return int(r.ActiveTime.Milliseconds())
			}),
		}
	}
	return append(columns,
		numberColumn("sequence_no", "The position in the annotator's sequence, from 1.", func(r *exportRow) int {
			return r.SequenceNo
		}),
		numberColumn("items_since_completed_break", "Items since the annotator's last completed break.",
			func(r *exportRow) int { return r.ItemsSinceCompletedBreak }),
		numberColumn("session_minutes",
			"Minutes since the session started. A session ends after 30 minutes without activity.",
			func(r *exportRow) int { return r.SessionMinutes }))
}

// partColumns returns the columns of one part of the content.
func partColumns(part protocol.Part) []exportColumn {
	name := "item." + part.Key
	content := func(r *exportRow) project.PartContent { return r.Content[part.Key] }
	switch part.Kind {
	case protocol.PartConversation:
		return []exportColumn{listColumn(name, part.Title, func(r *exportRow) (any, bool) {
			return content(r).Turns, content(r).Turns != nil
		})}
	case protocol.PartChunks:
		return []exportColumn{listColumn(name, part.Title, func(r *exportRow) (any, bool) {
			return content(r).Chunks, content(r).Chunks != nil
		})}
	case protocol.PartChunk:
		return chunkColumns(name, part.Title, func(r *exportRow) (p project.Chunk) {
			if len(content(r).Chunks) > 0 {
				p = content(r).Chunks[0]
			}
			return p
		})
	}
	return []exportColumn{textColumn(name, part.Title, func(r *exportRow) string { return content(r).Text })}
}

func listColumn(name, title string, get func(*exportRow) (any, bool)) exportColumn {
	return exportColumn{Column: Column{name, typeJSON, title}, cell: func(r *exportRow) (cell, error) {
		list, ok := get(r)
		if !ok {
			return cell{}, nil
		}
		return jsonCell(list)
	}}
}

func chunkColumns(name, title string, get func(*exportRow) project.Chunk) []exportColumn {
	return []exportColumn{
		textColumn(name, title, func(r *exportRow) string { return get(r).Text }),
		textColumn(name+".id", title+": id.", func(r *exportRow) string { return get(r).ID }),
		textColumn(name+".source", title+": source.", func(r *exportRow) string { return get(r).Source }),
		cellColumn(name+".rank", typeInteger, title+": rank, from 1.", func(r *exportRow) cell {
			if get(r).Rank == 0 {
				return cell{}
			}
			return numberCell(int64(get(r).Rank))
		}),
	}
}
