package protocol

// A Rulebook is what a browser needs of a Protocol to check answers as they
// are given. It travels as JSON in the page; no list in it is ever null.
type Rulebook struct {
	Fields        []RulebookField  `json:"fields"`
	AllowsBetween bool             `json:"allowsBetween"`
	Observations  []string         `json:"observations"` // keys
	Facts         []string         `json:"facts"`        // keys
	Rules         []RulebookRule   `json:"rules"`        // AllRules
	Hints         []RulebookHint   `json:"hints"`
	BlankChars    string           `json:"blankChars"`    // every character that counts as nothing written
	MaxNoteLength int              `json:"maxNoteLength"` // characters
	Messages      RulebookMessages `json:"messages"`
}

// A RulebookField is one question and the values it may have.
type RulebookField struct {
	Key      string `json:"key"`
	Title    string `json:"title"`
	Values   []int  `json:"values"`
	OnlyWhen string `json:"onlyWhen"` // a fact; empty: always asked
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

// A RulebookCondition is a Cond.
type RulebookCondition struct {
	Key    string `json:"key"`
	Values []int  `json:"values"`
}

// RulebookMessages holds the sentences of the checks that every protocol has. In
// Unknown, %s stands for the key.
type RulebookMessages struct {
	Missing       string `json:"missing"`
	NotApplicable string `json:"notApplicable"`
	OffScale      string `json:"offScale"`
	UnknownKey    string `json:"unknownKey"`
	NoteTooLong   string `json:"noteTooLong"`
}

// Rulebook returns p as the browser reads it.
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
		Hints: mapSlice(p.Hints, func(h Hint) RulebookHint {
			return RulebookHint{h.ID, toRulebookConditions(h.When), toRulebookConditions(h.Suggestions), h.Note, h.Message}
		}),
		BlankChars:    BlankChars,
		MaxNoteLength: MaxNoteLength,
		Messages:      RulebookMessages{messageMissing, messageNotApplicable, messageOffScale, messageUnknownKey, messageNoteTooLong},
	}
}

func toRulebookConditions(conditions []Condition) []RulebookCondition {
	return mapSlice(conditions, func(c Condition) RulebookCondition { return RulebookCondition(c) })
}

// mapSlice returns what of makes of each element: a list that is never nil.
func mapSlice[A, B any](list []A, convert func(A) B) []B {
	result := make([]B, len(list))
	for i, a := range list {
		result[i] = convert(a)
	}
	return result
}
