// Package sheet reads and writes the files that people exchange with us: items
// coming in, annotations going out.
//
// On the way in nothing is repaired: a file is taken whole, every text to the
// byte, or refused with all its faults, each at its place. On the way out JSONL
// is exact, and CSV is made safe for spreadsheets.
package sheet

// The limits of a file of items. They bound the memory and the time that one
// file can cost; a file beyond one of them is refused with a sentence.
const (
	FileLimit   = 50 << 20  // bytes
	LineLimit   = 1 << 20   // bytes in one row of CSV or line of JSONL
	CellLimit   = 200_000   // characters in one text
	IDLimit     = 200       // characters in an id or the name of a column
	SourceLimit = 2_000     // characters in the source of a passage, often an address
	ColumnLimit = 200       // columns of CSV, keys of one object in JSONL
	ItemLimit   = 200_000   // items
	DepthLimit  = 64        // lists and objects within each other
	ValueLimit  = 50_000    // values in one line of JSONL
	SpreadLimit = 200 << 20 // bytes of content after records have fanned out
	FaultLimit  = 200       // faults that are listed; more are counted
)
