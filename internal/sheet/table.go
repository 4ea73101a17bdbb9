package sheet

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/protocol"
)

// readTable gives b the rows of CSV, once its header is known to hold what is
// needed.
func readTable(in *bufio.Reader, b *builder) error {
	t := newTable(in, b.faults)
	header, err := t.next()
	if err != nil {
		return err
	}
	if says := unusable(header); says != "" {
		b.faults.add(t.start, "", "%s", says)
		return nil
	}
	t.header = header
	b.header(t)
	return t.rows(b)
}

// unusable returns why nothing can be read under a header, or "".
func unusable(header []string) string {
	switch {
	case len(header) == 1 && strings.ContainsAny(header[0], ";\t"):
		return "The columns are not parted by commas. Save the file as CSV with commas."
	case len(header) > ColumnLimit:
		return fmt.Sprintf("There are %s columns; %d is the most.", thousands(len(header)), ColumnLimit)
	}
	return ""
}

// headFlaw returns what is wrong with the name of a column, or "".
func headFlaw(name string, before []string) string {
	if says := flaw(name); says != "" {
		return says
	}
	if !protocol.Written(name) {
		return "This column has no name. Give it one, or take the column out."
	}
	if i := slices.Index(before, name); i >= 0 {
		return fmt.Sprintf("Column %d has this name already. Names must differ.", i+1)
	}
	return nameFlaw(name, IDLimit)
}

// header judges the names of t's columns by what the unit needs.
func (b *builder) header(t *table) {
	b.table = true
	b.row = row{line: t.start}
	for i, name := range t.header {
		b.row.members = append(b.row.members, member{key: name})
		if meant := nearly(name, b.known); meant != "" {
			t.tell(i, "%s", nearSays(meant))
			t.header[i], b.row.members[i].key = meant, meant
		} else if says := headFlaw(name, t.header[:i]); says != "" {
			t.tell(i, "%s", says)
		}
	}
	if b.only != nil {
		return
	}
	for _, part := range b.p.Unit.Parts {
		b.column(part)
	}
	if b.p.Unit.Record != protocol.NoRecord && slices.Contains(t.header, "chunks") {
		b.tell(top("chunks"), "CSV has no room for a list of chunks. Use JSONL for whole records.")
	}
}

// column judges whether part can be read from the columns there are.
func (b *builder) column(part protocol.Part) {
	_, there := b.row.get(part.Key)
	switch {
	case listed(part) && (there || !part.Supporting):
		b.tell(top(part.Key), "CSV has no room for a list such as this. Use JSONL.")
	case !there && !part.Supporting:
		b.tell(top(part.Key), "This column is missing. Name a column so in the first line.")
	}
}

// rows gives b each row that has as many cells as the header.
func (t *table) rows(b *builder) error {
	for {
		cells, err := t.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case len(cells) != len(t.header):
			t.faults.add(t.start, "", "This row has %d cells, and the header has %d. Put a text with commas or line breaks in quotes.",
				len(cells), len(t.header))
		default:
			if err := b.take(row{t.start, t.members(cells)}); err != nil {
				return err
			}
		}
	}
}

func (t *table) members(cells []string) []member {
	members := make([]member, len(cells))
	for i, text := range cells {
		says := flaw(text)
		if says != "" {
			t.tell(i, "%s", says)
		}
		members[i] = member{t.header[i], value{kind: '"', text: text, told: says != ""}}
	}
	return members
}
