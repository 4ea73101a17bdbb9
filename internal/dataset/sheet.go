package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A Sheet is the items that an annotator gets to label in a spreadsheet: a context sheet with
// their texts, and an annotation sheet to fill in.
type Sheet struct {
	Project   string // key
	Batch     project.BatchID
	Annotator string // pseudonym
	Protocol  protocol.Protocol
	Rows      []SheetUnit
	Remaining int // items of the queue that did not fit
}

// A SheetUnit is one row of a Sheet.
type SheetUnit struct {
	ID      string
	Content project.Content
	Facts   protocol.Facts
}

// FileNames returns the names of the files of s: the context as CSV and as JSONL, and the
// annotation sheet. They are the same each time that a sheet is made. Annotators see them, so
// they do not have the name of the batch, which may tell a condition.
func (s Sheet) FileNames() (context, contextJSONL, annotations string) {
	name := fmt.Sprintf("%s-batch-%d-%s", sheetFileName(s.Project), s.Batch, sheetFileName(s.Annotator))
	return name + "-context.csv", name + "-context.jsonl", name + "-annotations.csv"
}

// sheetFileName returns text with only the characters that file names have everywhere.
func sheetFileName(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, text)
}

// sheetMark begins the CSV of sheets, so that Excel reads and saves them as UTF-8.
const sheetMark = "\ufeff"

// WriteContext writes the context sheet as CSV: the id and a column for each part. Text that
// a spreadsheet might run as a formula is escaped. Lists are written as readable text.
func (s Sheet) WriteContext(w io.Writer) error {
	header := []string{s.Protocol.SheetIDColumn()}
	for _, part := range s.Protocol.Unit.Parts {
		header = append(header, part.Key)
	}
	file := appendSheetRow([]byte(sheetMark), header)
	for _, row := range s.Rows {
		cells := []string{row.ID}
		for _, part := range s.Protocol.Unit.Parts {
			cells = append(cells, EscapeFormula(readablePart(row.Content[part.Key])))
		}
		file = appendSheetRow(file, cells)
	}
	_, err := w.Write(file)
	return err
}

// WriteContextJSONL writes the context sheet as JSONL, with exact texts.
func (s Sheet) WriteContextJSONL(w io.Writer) error {
	var file bytes.Buffer
	encoder := json.NewEncoder(&file)
	encoder.SetEscapeHTML(false)
	for _, row := range s.Rows {
		unit := map[string]any{s.Protocol.SheetIDColumn(): row.ID}
		for _, part := range s.Protocol.Unit.Parts {
			unit[part.Key] = exactPart(part.Kind, row.Content[part.Key])
		}
		if err := encoder.Encode(unit); err != nil {
			return err
		}
	}
	_, err := w.Write(file.Bytes())
	return err
}

// WriteAnnotations writes the annotation sheet: ids and annotator are filled in, and so is
// each field that does not apply.
func (s Sheet) WriteAnnotations(w io.Writer) error {
	columns := s.Protocol.SheetColumns()
	file := appendSheetRow([]byte(sheetMark), columns)
	for _, row := range s.Rows {
		cells := make([]string, len(columns))
		cells[0], cells[1] = row.ID, s.Annotator
		for i, f := range s.Protocol.Fields {
			if !f.AppliesTo(row.Facts) {
				cells[2+i] = protocol.SheetNotApplicable
			}
		}
		file = appendSheetRow(file, cells)
	}
	_, err := w.Write(file)
	return err
}

// appendSheetRow appends a row of CSV that ends with CRLF, as spreadsheet programs write it.
func appendSheetRow(file []byte, cells []string) []byte {
	for i, c := range cells {
		if i > 0 {
			file = append(file, ',')
		}
		file = appendCSVCell(file, c)
	}
	return append(file, "\r\n"...)
}

// readablePart returns the content of a part as text: turns after their role, chunks after
// their rank and source.
func readablePart(c project.PartContent) string {
	return joinContent(c, func(chunk project.Chunk) string { return chunkHeading(chunk) + chunk.Text })
}

// joinContent returns the texts of a part, turns after their role, with an empty line between them.
func joinContent(c project.PartContent, chunkText func(project.Chunk) string) string {
	blocks := []string{}
	if c.Text != "" {
		blocks = append(blocks, c.Text)
	}
	for _, t := range c.Turns {
		blocks = append(blocks, t.Heading()+": "+t.Text)
	}
	for _, chunk := range c.Chunks {
		blocks = append(blocks, chunkText(chunk))
	}
	return strings.Join(blocks, "\n\n")
}

func chunkHeading(c project.Chunk) string {
	heading := c.Source
	if c.Rank > 0 {
		heading = strings.TrimSpace(fmt.Sprintf("[%d] %s", c.Rank, c.Source))
	}
	if heading != "" {
		heading += "\n"
	}
	return heading
}

// exactPart returns the content of a part as JSON has it.
func exactPart(kind protocol.PartKind, c project.PartContent) any {
	switch {
	case kind == protocol.PartConversation:
		return c.Turns
	case kind == protocol.PartChunks:
		return c.Chunks
	case kind == protocol.PartChunk && len(c.Chunks) > 0:
		return c.Chunks[0]
	}
	return c.Text
}
