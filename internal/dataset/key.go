package dataset

import (
	"encoding/json"
	"io"
	"iter"
)

// A KeyRow is the item of an id in a blinded export.
type KeyRow struct {
	Item, Record             string // in the export
	SourceItem, SourceRecord string
	Meta                     map[string]json.RawMessage
}

// WriteKey writes the unblinding key as CSV.
func WriteKey(w io.Writer, meta []MetaColumn, rows iter.Seq2[KeyRow, error]) error {
	columns := []exportColumn{textColumn("item", "", nil), textColumn("record", "", nil), textColumn("source_item", "",
		nil), textColumn("source_record", "", nil)}
	for _, m := range meta {
		columns = append(columns, textColumn("meta."+m.Key, "", nil))
	}
	encoder, err := newCSVEncoder(w, columns)
	if err != nil {
		return err
	}
	for row, err := range rows {
		if err != nil {
			return err
		}
		cells := []cell{textCell(row.Item), optionalTextCell(row.Record), textCell(row.SourceItem),
			optionalTextCell(row.SourceRecord)}
		for _, m := range meta {
			cells = append(cells, metaCell(m.Type, row.Meta[m.Key]))
		}
		if err := encoder.writeRow(cells, false); err != nil {
			return err
		}
	}
	return encoder.flush()
}
