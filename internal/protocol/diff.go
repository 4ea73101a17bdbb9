package protocol

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// Diff compares two definitions of one protocol and returns their differences as
// sentences. If keys, scales or rules differ, needsNewVersion is true and only those
// differences are listed. Otherwise a new revision is enough.
func Diff(before, after Protocol) (needsNewVersion bool, differences []string) {
	c := &comparison{}
	if c.compareKeys(before, after); len(c.differences) > 0 {
		return true, c.differences
	}
	c.compareWording(before, after)
	return false, c.differences
}

type comparison struct{ differences []string }

func (c *comparison) addf(format string, args ...any) {
	c.differences = append(c.differences, fmt.Sprintf(format, args...))
}

// compareKeys lists differences that change the meaning of stored answers.
func (c *comparison) compareKeys(before, after Protocol) {
	if before.Key != after.Key {
		c.addf("The protocol key changed from %[2]s to %[1]s.", after.Key, before.Key)
	}
	if before.Unit.RecordKind != after.Unit.RecordKind {
		c.addf("The unit has another kind of import record.")
	}
	if before.AllowsBetween != after.AllowsBetween {
		c.addf("Answering between two values is %s.", describeBetween(after.AllowsBetween))
	}
	compareByKey(c, "Part", before.Unit.Parts, after.Unit.Parts, func(p Part) (string, any) { return p.Key, p.Kind })
	compareByKey(c, "Fact", before.Facts, after.Facts, func(f Fact) (string, any) {
		return f.Key, []any{f.Part, f.Role, f.MinTurns}
	})
	compareByKey(c, "Field", before.Fields, after.Fields, func(f Field) (string, any) {
		return f.Key, []any{f.Scale.Values(), f.OnlyWhen}
	})
	compareByKey(c, "Observation", before.Observations, after.Observations, func(o Observation) (string, any) { return o.Key, nil })
	compareByKey(c, "Rule", before.Rules, after.Rules, func(r Rule) (string, any) {
		return r.ID, []any{sortedConditions(r.When), sortedConditions(r.Then)}
	})
	compareByKey(c, "Verdict", before.Verdicts, after.Verdicts, func(v VerdictRule) (string, any) {
		return v.Key, []any{v.Any, v.None, v.All}
	})
}

func describeBetween(isAllowed bool) string {
	if isAllowed {
		return "now allowed"
	}
	return "no longer allowed"
}

// sortedConditions returns conditions ordered by key.
func sortedConditions(conditions []Condition) []Condition {
	return slices.SortedFunc(slices.Values(conditions), func(a, b Condition) int { return cmp.Compare(a.Key, b.Key) })
}

// compareByKey lists added, changed and removed elements. identify returns the key of
// an element and the part of it that matters.
func compareByKey[E any](c *comparison, kind string, before, after []E, identify func(E) (string, any)) {
	beforeByKey, afterByKey := indexByKey(before, identify), indexByKey(after, identify)
	for _, key := range sortedKeys(afterByKey) {
		previous, existed := beforeByKey[key]
		switch {
		case !existed:
			c.addf("%s “%s” was added.", kind, key)
		case !reflect.DeepEqual(previous, afterByKey[key]):
			c.addf("%s “%s” changed.", kind, key)
		}
	}
	for _, key := range sortedKeys(beforeByKey) {
		if _, exists := afterByKey[key]; !exists {
			c.addf("%s “%s” was removed.", kind, key)
		}
	}
}

func indexByKey[E any](list []E, identify func(E) (string, any)) map[string]any {
	return maps.Collect(func(yield func(string, any) bool) {
		for _, e := range list {
			if !yield(identify(e)) {
				return
			}
		}
	})
}

// compareWording lists differences in texts, order and session plan.
func (c *comparison) compareWording(before, after Protocol) {
	for _, aspect := range []struct {
		name     string
		old, new any
	}{
		{"title or summary", []string{before.Title, before.Summary}, []string{after.Title, after.Summary}},
		{"presentation of the unit", before.Unit, after.Unit},
		{"wording of the facts", before.Facts, after.Facts},
		{"wording or order of the fields", before.Fields, after.Fields},
		{"wording or order of the observations", before.Observations, after.Observations},
		{"wording or order of the rules", withoutLines(before.Rules), withoutLines(after.Rules)},
		{"hints", before.Hints, after.Hints},
		{"wording or order of the verdicts", before.Verdicts, after.Verdicts},
		{"guide", before.Guide, after.Guide},
		{"session plan", before.Plan, after.Plan},
	} {
		if !reflect.DeepEqual(aspect.old, aspect.new) {
			c.addf("The %s changed.", aspect.name)
		}
	}
}

// withoutLines returns rules without line numbers, with their conditions sorted.
func withoutLines(rules []Rule) []Rule {
	return mapSlice(rules, func(r Rule) Rule {
		r.When, r.Then, r.Line = sortedConditions(r.When), sortedConditions(r.Then), 0
		return r
	})
}
