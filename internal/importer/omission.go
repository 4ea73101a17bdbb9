package importer

import (
	"slices"
	"strings"
)

// An ImportOmission is something in a file that no item has.
type ImportOmission struct {
	What   string `json:"what"`
	Count  int    `json:"count"`
	Remedy string `json:"remedy"` // how it can be imported; empty: it cannot

	// Template is What with %s in place of Name, for a translation.
	Template string `json:"template"`
	Name     string `json:"name"` // a role or key; empty: none
}

// An omission is a kind of what no item has. Its text may have %s for a name.
type omission struct{ text, remedy string }

// takeRemedy says how the rest of a conversation is imported where a protocol shows one answer.
const takeRemedy = "To label them, take each answer as an item, or use a protocol that shows conversations."

// The kinds of omissions.
var (
	omittedMessages = omission{"messages with the role “%s” that no item shows", takeRemedy}
	omittedAnswers  = omission{"further answers to the same question", takeRemedy}
	omittedLabels   = omission{"rows with labels, of which only the items are imported", ""}
	omittedOutside  = omission{"values outside the records", ""}
	omittedRAGKey   = omission{"“%s” of a record, which this protocol does not show", ""}
	omittedKey      = omission{"“%s”, which is no part of an item", "Map it to meta.NAME to keep it."}
	omittedNoChunks = omission{"records that retrieved nothing, which have no chunk to label",
		"They count as queries without a hit."}
	omittedNoDocuments = omission{"records without retrieved documents", ""}

	// Records of other programs without texts.
	omittedSpans        = omission{"spans without a message of a model", ""}
	omittedObservations = omission{"observations without output", ""}
	omittedRuns         = omission{"runs without output", ""}
	omittedTasks        = omission{"tasks without data", ""}
	omittedRecords      = omission{"records without fields", ""}
	omittedTexts        = omission{"tasks without text", ""}
	omittedLines        = omission{"lines without messages, such as failed requests", ""}
	omittedResults      = omission{"results without output", ""}
	omittedResponses    = omission{"samples without a response", ""}
	omittedCases        = omission{"test cases without output", ""}
	omittedTraces       = omission{"traces without output", ""}
	omittedSamples      = omission{"samples without output", ""}
	omittedRows         = omission{"rows without text", ""}
)

// leaveOut counts what no item has.
func (l *Ledger) leaveOut(o omission, name string, count int) {
	is := func(other ImportOmission) bool { return other.Template == o.text && other.Name == name }
	if i := slices.IndexFunc(l.LeftOut, is); i >= 0 {
		l.LeftOut[i].Count += count
	} else if count > 0 {
		l.LeftOut = append(l.LeftOut, ImportOmission{What: strings.Replace(o.text, "%s", name, 1), Count: count,
			Remedy: o.remedy, Template: o.text, Name: name})
	}
}

// Text returns what is left out, one line for each.
func (l Ledger) Text() string {
	var lines []string
	for _, o := range l.LeftOut {
		lines = append(lines, strings.TrimSpace("Left out: "+o.What+" ("+formatCount(o.Count)+"). "+o.Remedy))
	}
	return strings.Join(lines, "\n")
}
