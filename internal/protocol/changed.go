package protocol

import (
	"fmt"
	"reflect"
	"slices"
)

// Changed returns, in sentences, how is asks something else than was: other
// keys, scales or rules. Such a change needs a new version; with none, the
// wording alone has changed and a new revision will do.
func Changed(was, is Protocol) []string {
	var differences []string
	differ := func(what string, a, b any) {
		if !reflect.DeepEqual(a, b) {
			differences = append(differences, fmt.Sprintf("its %s are not the same.", what))
		}
	}
	differ("parts of the unit", was.parts(), is.parts())
	differ("facts", was.factKeys(), is.factKeys())
	differ("fields and scales", was.scales(), is.scales())
	differ("observations", was.observationKeys(), is.observationKeys())
	differ("rules", was.bareRules(), is.bareRules())
	differ("verdicts", was.bareVerdicts(), is.bareVerdicts())
	return differences
}

func (p Protocol) parts() []Part {
	parts := slices.Clone(p.Unit.Parts)
	for i := range parts {
		parts[i].Title, parts[i].Supporting = "", false
	}
	return parts
}

func (p Protocol) factKeys() []Fact {
	facts := slices.Clone(p.Facts)
	for i := range facts {
		facts[i].Title = ""
	}
	return facts
}

type bareField struct {
	Key, OnlyWhen string
	Values        []int
	Between       bool
}

func (p Protocol) scales() []bareField {
	fields := make([]bareField, len(p.Fields))
	for i, f := range p.Fields {
		fields[i] = bareField{f.Key, f.OnlyWhen, f.Scale.Values(), p.Between}
	}
	return fields
}

func (p Protocol) observationKeys() []string {
	keys := make([]string, len(p.Observations))
	for i, o := range p.Observations {
		keys[i] = o.Key
	}
	return keys
}

func (p Protocol) bareRules() []Rule {
	rules := slices.Clone(p.Rules)
	for i := range rules {
		rules[i].Says, rules[i].Line = "", 0
	}
	return rules
}

func (p Protocol) bareVerdicts() []Verdict {
	verdicts := slices.Clone(p.Verdicts)
	for i := range verdicts {
		verdicts[i].Title = ""
	}
	return verdicts
}
