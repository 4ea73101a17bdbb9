package protocol

import "slices"

// A shape lists the keys that one kind of mapping may have. The published JSON
// Schema has a definition of the same name for each.
type shape struct {
	noun     string
	required []string
	optional []string
}

func (s shape) keys() []string { return slices.Concat(s.required, s.optional) }

var shapes = map[string]shape{
	"protocol": {
		"a protocol",
		[]string{"protocol", "version", "title", "summary", "unit", "fields", "plan"},
		[]string{"revision", "language", "facts", "between", "observations", "rules", "hints", "verdicts", "guide",
			"examples", "translations"},
	},
	"unit": {"the unit", []string{"noun", "parts"}, []string{"id", "record"}},
	"part": {"a part", []string{"key", "title"}, []string{"kind", "format", "supporting", "judged"}},
	"fact": {"a fact", []string{"key", "title", "part", "role", "at least"}, nil},
	"field": {"a field", []string{"key", "title", "question", "scale"}, []string{"only when", "reward",
		"penalize", "tree", "boundaries"}},
	"point":       {"a point", []string{"anchor"}, []string{"label"}},
	"branch":      {"a branch", []string{"if", "then"}, nil},
	"observation": {"an observation", []string{"key", "title", "subject", "guidance"}, nil},
	"rule":        {"a rule", []string{"id", "when", "then", "message"}, []string{"for each"}},
	"hint":        {"a hint", []string{"id", "when"}, []string{"suggest", "note", "explains", "message"}},
	"verdict":     {"a verdict", []string{"key", "title"}, []string{"any", "none", "all"}},
	"section":     {"a section", []string{"key", "title"}, []string{"text", "points"}},
	"example": {"an example", []string{"key", "title", "item", "answers", "reasons"}, []string{"observations",
		"unsure", "note"}},
	"turn":   {"a turn", []string{"role", "text"}, nil},
	"chunk":  {"a chunk", []string{"rank", "text"}, []string{"source"}},
	"reason": {"a reason", []string{"boundary", "text"}, nil},
	"plan": {
		"the plan",
		[]string{"calibration", "duplicates", "break every", "break minutes", "pace", "target"},
		[]string{"content warning"},
	},
}

// Limits of a definition. They keep forms readable and checks fast.
const (
	maxBytes        = 256 << 10
	maxParts        = 12
	maxFacts        = 6
	maxFields       = 24
	maxPoints       = 11 // values are 0 to maxPoints-1
	maxObservations = 20
	maxRules        = 200
	maxHints        = 60
	maxVerdicts     = 12
	maxSections     = 24
	maxExamples     = 24
	maxExampleList  = 24   // turns or chunks of an example
	maxExampleText  = 4000 // of one text of an item
	maxTexts        = 24   // in one list
	maxTitle        = 80   // in characters, like those below
	maxSentence     = 300
	maxParagraph    = 1200
)
