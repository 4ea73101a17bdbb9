package protocol

// A Rulebook is the part of a Protocol that the browser needs to check answers. It
// is embedded in pages as JSON; its lists are never null.
type Rulebook struct {
	Fields        []RulebookField  `json:"fields"`
	AllowsBetween bool             `json:"allowsBetween"`
	Observations  []string         `json:"observations"` // keys
	Facts         []string         `json:"facts"`        // keys
	Rules         []RulebookRule   `json:"rules"`        // AllRules
	Hints         []RulebookHint   `json:"hints"`
	FilledNotes   []RulebookHint   `json:"filledNotes"`   // hints whose note does not count as written
	BlankChars    string           `json:"blankChars"`    // see NoteBlankChars
	MaxNoteLength int              `json:"maxNoteLength"` // characters
	Messages      RulebookMessages `json:"messages"`
}

// A RulebookField is a Field with its values.
type RulebookField struct {
	Key      string `json:"key"`
	Title    string `json:"title"`
	Values   []int  `json:"values"`
	OnlyWhen string `json:"onlyWhen"` // key of a fact; empty: applies always
}

// A RulebookRule is a Rule.
type RulebookRule struct {
	ID      string              `json:"id"`
	When    []RulebookCondition `json:"when"`
	Then    []RulebookCondition `json:"then"`
	Message string              `json:"message"`
}

// A RulebookHint is a Hint.
type RulebookHint struct {
	ID          string              `json:"id"`
	When        []RulebookCondition `json:"when"`
	Suggestions []RulebookCondition `json:"suggestions"`
	Note        string              `json:"note"`
	Message     string              `json:"message"`
}

// A RulebookCondition is a Condition.
type RulebookCondition struct {
	Key    string `json:"key"`
	Values []int  `json:"values"`
}

// RulebookMessages holds the messages of the checks that every protocol has.
// UnknownKey contains %s for the key.
type RulebookMessages struct {
	Missing       string `json:"missing"`
	NotApplicable string `json:"notApplicable"`
	OffScale      string `json:"offScale"`
	UnknownKey    string `json:"unknownKey"`
	NoteTooLong   string `json:"noteTooLong"`
}

// Rulebook returns the rulebook of p.
func (p Protocol) Rulebook() Rulebook {
	return Rulebook{
		Fields: mapSlice(p.Fields, func(f Field) RulebookField {
			return RulebookField{f.Key, f.Title, f.Scale.Values(), f.OnlyWhen}
		}),
		AllowsBetween: p.AllowsBetween,
		Observations:  mapSlice(p.Observations, func(o Observation) string { return o.Key }),
		Facts:         mapSlice(p.Facts, func(f Fact) string { return f.Key }),
		Rules: mapSlice(p.AllRules(), func(r Rule) RulebookRule {
			return RulebookRule{r.ID, toRulebookConditions(r.When), toRulebookConditions(r.Then), r.Message}
		}),
		Hints:         mapSlice(p.Hints, toRulebookHint),
		FilledNotes:   mapSlice(p.FilledNotes(), toRulebookHint),
		BlankChars:    NoteBlankChars,
		MaxNoteLength: MaxNoteLength,
		Messages: RulebookMessages{messageMissing, messageNotApplicable, messageOffScale, messageUnknownKey,
			messageNoteTooLong},
	}
}

func toRulebookHint(h Hint) RulebookHint {
	return RulebookHint{h.ID, toRulebookConditions(h.When), toRulebookConditions(h.Suggestions), h.Note, h.Message}
}

func toRulebookConditions(conditions []Condition) []RulebookCondition {
	return mapSlice(conditions, func(c Condition) RulebookCondition { return RulebookCondition(c) })
}

// mapSlice returns the converted elements of list. The result is never nil.
func mapSlice[A, B any](list []A, convert func(A) B) []B {
	result := make([]B, len(list))
	for i, a := range list {
		result[i] = convert(a)
	}
	return result
}
