package audit

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/locale"
)

// A Format is the format of a file of entries.
type Format string

// The formats.
const (
	CSV   Format = "csv"
	JSONL Format = "jsonl"
)

// A Row is an entry in a file.
type Row struct {
	ID        int64          `json:"id"`
	CreatedAt time.Time      `json:"created_at"`
	Actor     string         `json:"actor"`
	Action    string         `json:"action"`
	Subject   string         `json:"subject"`
	Sentence  string         `json:"sentence"`
	Detail    map[string]any `json:"detail,omitempty"`
}

// NewRow returns the row of an entry. Files are in English.
func NewRow(e Entry) Row {
	return Row{e.ID, e.CreatedAt.UTC(), e.ActorName(locale.English), e.Action, e.Subject,
		e.Sentence(locale.English), e.Detail}
}

// A Writer writes entries to a file.
type Writer struct {
	csv  *csv.Writer
	json *json.Encoder
}

// NewWriter starts a file.
func NewWriter(w io.Writer, format Format) (*Writer, error) {
	if format == JSONL {
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		return &Writer{json: encoder}, nil
	}
	out := &Writer{csv: csv.NewWriter(w)}
	return out, out.csv.Write([]string{"id", "created_at", "actor", "action", "subject", "sentence"})
}

// Write adds an entry.
func (w *Writer) Write(r Row) error {
	if w.json != nil {
		return w.json.Encode(r)
	}
	return w.csv.Write([]string{strconv.FormatInt(r.ID, 10), r.CreatedAt.Format(time.RFC3339Nano),
		escapeFormula(r.Actor), r.Action, escapeFormula(r.Subject), escapeFormula(r.Sentence)})
}

// Flush writes what is buffered.
func (w *Writer) Flush() error {
	if w.csv == nil {
		return nil
	}
	w.csv.Flush()
	return w.csv.Error()
}

// escapeFormula keeps a spreadsheet from running a text.
func escapeFormula(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
