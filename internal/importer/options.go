package importer

import (
	"strings"

	"golang.org/x/text/encoding"

	"github.com/labelwright/labelwright/internal/fault"
)

// Options say how to read a file. The zero value reads rows whose columns are the parts of an item.
type Options struct {
	Preset   Preset            // "": none
	Map      []Mapping         // where columns are; they take precedence over the preset
	Take     Take              // which answers of a conversation, where the unit shows one
	Encoding encoding.Encoding // of the text; nil: UTF-8 or UTF-16, as the file starts
	Records  string            // path of the list of records in a document; "": the document is one, or a list
	GroupBy  string            // path of what the messages of one conversation share; "": a row is no message
	Order    string            // path of the order of messages; "": as in the file

	MaxItems      int                   // of a file that is scanned, because their ids are in memory; 0: 50 million
	SkipInvalid   bool                  // rows with errors are left out; else they refuse the file
	Ledger        *Ledger               // takes what becomes of each value; may be nil
	OnInvalid     func(InvalidRow)      // takes the rows that are left out; may be nil
	OnEmptyRecord func(recordID string) // takes records without a chunk, where each chunk is an item; may be nil
}

// Take says which answers of a record become items, where the unit shows one question and one
// answer and the record has more: several turns, or several completions.
type Take string

// The choices. With TakeEach the items of a record share its record id.
const (
	TakeLast Take = ""     // the last question with its answer, of the first completion
	TakeEach Take = "each" // each question with its answer, and each completion
)

// ParseTake returns the choice of that name: "last", also by "", or "each".
func ParseTake(name string) (Take, error) {
	switch name {
	case "", "last":
		return TakeLast, nil
	case string(TakeEach):
		return TakeEach, nil
	}
	return "", fault.Invalid.Errorf("“%s” is not a choice of answers. Write last or each.", name)
}

// ledger returns the ledger of o, or one that nobody reads.
func (o Options) ledger() *Ledger {
	if o.Ledger == nil {
		return NewLedger()
	}
	return o.Ledger
}

// isSet reports whether o changes how rows are read.
func (o Options) isSet() bool { return o.Preset != "" || len(o.Map) > 0 || o.GroupBy != "" }

// mappingText returns the mappings of o, one per line.
func (o Options) mappingText() string {
	var text strings.Builder
	for _, m := range o.Map {
		text.WriteString(quoteMapping(m.Column) + "=" + quoteMapping(m.Path) + "\n")
	}
	return text.String()
}

// isForeign reports whether rows are records of another program, or have paths.
func (b *builder) isForeign() bool { return b.options.isSet() || b.handleRecord != nil || b.isExport }
