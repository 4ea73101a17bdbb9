package protocol

import "slices"

// TiedFields are fields, in the protocol's order, whose answers limit each other by rules.
type TiedFields struct {
	Keys         []string
	Combinations [][]int // every combination of answers that the rules allow, each by field
}

// maxCombinations limits the combinations of tied fields, and maxCombinationSteps the search
// for them.
const (
	maxCombinations     = 32
	maxCombinationSteps = 10_000
)

// ListTiedFields returns the fields that rules tie to each other whatever the item and the
// ticked observations: the rules between fields alone. Fields with too many combinations are
// left out.
func (p Protocol) ListTiedFields() (list []TiedFields) {
	group := make([]int, len(p.Fields)) // by field; that of the first field that it is tied to
	for i := range group {
		group[i] = i
	}
	var rules []Rule
	for _, r := range p.Rules {
		if fields, ok := p.fieldsOf(r); ok {
			rules = append(rules, r)
			for _, f := range fields[1:] {
				mergeGroups(group, group[fields[0]], group[f])
			}
		}
	}
	for first := range p.Fields {
		var fields []Field
		for i, f := range p.Fields {
			if group[i] == group[first] {
				fields = append(fields, f)
			}
		}
		if len(fields) < 2 || fields[0].Key != p.Fields[first].Key {
			continue
		}
		if t, ok := combine(fields, rules); ok {
			list = append(list, t)
		}
	}
	return list
}

// fieldsOf returns the fields of a rule's conditions; false if there are others.
func (p Protocol) fieldsOf(r Rule) (fields []int, ok bool) {
	for _, c := range slices.Concat(r.When, r.Then) {
		i := slices.IndexFunc(p.Fields, func(f Field) bool { return f.Key == c.Key })
		if i < 0 {
			return nil, false
		}
		fields = append(fields, i)
	}
	return fields, true
}

// combine lists the combinations of the fields' values that the rules allow.
func combine(fields []Field, rules []Rule) (TiedFields, bool) {
	t, values, steps := TiedFields{}, map[string]int{}, 0
	for _, f := range fields {
		t.Keys = append(t.Keys, f.Key)
	}
	var add func(chosen []int) bool
	add = func(chosen []int) bool {
		if len(chosen) == len(fields) {
			t.Combinations = append(t.Combinations, slices.Clone(chosen))
			return len(t.Combinations) <= maxCombinations
		}
		key := t.Keys[len(chosen)]
		defer delete(values, key)
		for _, v := range fields[len(chosen)].Scale.Values() {
			values[key], steps = v, steps+1
			breaks := slices.ContainsFunc(rules, func(r Rule) bool { return len(r.findProblems(values)) > 0 })
			if steps > maxCombinationSteps || !breaks && !add(append(chosen, v)) {
				return false
			}
		}
		return true
	}
	return t, add(nil)
}
