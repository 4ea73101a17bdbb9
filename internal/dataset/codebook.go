package dataset

import (
	"io"
	"slices"
	"strconv"

	"github.com/labelwright/labelwright/internal/protocol"
)

// writeCodebook writes a CSV that describes each value of each field, and then the other
// columns, which have a key and a title only.
func writeCodebook(w io.Writer, p protocol.Protocol, o WriteOptions) error {
	otherColumns := slices.Concat(originColumns(p), timingColumns(o), itemColumns(p, o))
	var file []byte
	if o.BOM {
		file = append(file, byteOrderMark...)
	}
	file = appendCodebookRow(file, "key", "title", "question", "value", "label", "anchor")
	for _, f := range p.Fields {
		key := f.Key
		if o.Shape == Wide {
			key = answerColumnName(f.Key, slices.Concat(otherColumns, observationColumns(p)))
		}
		for _, point := range f.Scale {
			file = appendCodebookRow(file, key, f.Title, f.Question, point.Value, point.Label, point.Anchor)
		}
	}
	for _, observation := range p.Observations {
		file = appendBitRows(file, "obs."+observation.Key, observation.Title, observation.Guidance,
			"not ticked", "ticked")
	}
	for _, v := range p.Verdicts {
		file = appendBitRows(file, "verdict."+v.Key, v.Title, "", "does not follow from the answers",
			"follows from the answers")
	}
	for _, c := range slices.Concat(otherColumns, ruleColumns()) {
		file = appendCodebookRow(file, c.Name, c.Description, "", "", "", "")
	}
	_, err := w.Write(file)
	return err
}

// appendBitRows appends the rows of a column with the values 0 and 1.
func appendBitRows(file []byte, key, title, question, zero, one string) []byte {
	file = appendCodebookRow(file, key, title, question, 0, "", zero)
	return appendCodebookRow(file, key, title, question, 1, "", one)
}

// appendCodebookRow appends a row of CSV. Formulas in texts are escaped.
func appendCodebookRow(file []byte, cells ...any) []byte {
	for i, c := range cells {
		if i > 0 {
			file = append(file, ',')
		}
		switch c := c.(type) {
		case int:
			file = strconv.AppendInt(file, int64(c), 10)
		case string:
			file = appendCSVCell(file, EscapeFormula(c))
		}
	}
	return append(file, '\n')
}
