package protocol

// A Rulebook is what a browser needs of a Protocol to check answers as they
// are given. It travels as JSON in the page; no list in it is ever null.
type Rulebook struct {
	Fields       []RulebookField `json:"fields"`
	Between      bool            `json:"between"`
	Observations []string        `json:"observations"` // keys
	Facts        []string        `json:"facts"`        // keys
	Rules        []RulebookRule  `json:"rules"`        // AllRules
	Hints        []RulebookHint  `json:"hints"`
	Blank        string          `json:"blank"`     // every character that counts as nothing written
	NoteLimit    int             `json:"noteLimit"` // characters
	Says         RulebookSays    `json:"says"`
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
	ID   string         `json:"id"`
	When []RulebookCond `json:"when"`
	Then []RulebookCond `json:"then"`
	Says string         `json:"says"`
}

// A RulebookHint is a Hint.
type RulebookHint struct {
	ID      string         `json:"id"`
	When    []RulebookCond `json:"when"`
	Suggest []RulebookCond `json:"suggest"`
	Note    string         `json:"note"`
	Says    string         `json:"says"`
}

// A RulebookCond is a Cond.
type RulebookCond struct {
	Key string `json:"key"`
	In  []int  `json:"in"`
}

// RulebookSays holds the sentences of the checks that every protocol has. In
// Unknown, %s stands for the key.
type RulebookSays struct {
	Missing     string `json:"missing"`
	Misplaced   string `json:"misplaced"`
	Unoffered   string `json:"unoffered"`
	Unknown     string `json:"unknown"`
	NoteTooLong string `json:"noteTooLong"`
}

// Rulebook returns p as the browser reads it.
func (p Protocol) Rulebook() Rulebook {
	return Rulebook{
		Fields: each(p.Fields, func(f Field) RulebookField {
			return RulebookField{f.Key, f.Title, f.Scale.Values(), f.OnlyWhen}
		}),
		Between:      p.Between,
		Observations: each(p.Observations, func(o Observation) string { return o.Key }),
		Facts:        each(p.Facts, func(f Fact) string { return f.Key }),
		Rules: each(p.AllRules(), func(r Rule) RulebookRule {
			return RulebookRule{r.ID, rulebookConds(r.When), rulebookConds(r.Then), r.Says}
		}),
		Hints: each(p.Hints, func(h Hint) RulebookHint {
			return RulebookHint{h.ID, rulebookConds(h.When), rulebookConds(h.Suggest), h.Note, h.Says}
		}),
		Blank:     Blank,
		NoteLimit: NoteLimit,
		Says:      RulebookSays{missing, misplaced, unoffered, unknown, noteTooLong},
	}
}

func rulebookConds(conds []Cond) []RulebookCond {
	return each(conds, func(c Cond) RulebookCond { return RulebookCond(c) })
}

// each returns what of makes of each element: a list that is never nil.
func each[A, B any](list []A, of func(A) B) []B {
	made := make([]B, len(list))
	for i, a := range list {
		made[i] = of(a)
	}
	return made
}
