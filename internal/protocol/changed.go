package protocol

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// Changed compares two definitions of one protocol and returns how they differ,
// in sentences. version tells that keys, scales or rules do, so that the new
// one needs a new version number; what else differs is not told then.
// Otherwise a new revision is enough. No differences: they say the same.
func Changed(old, new Protocol) (version bool, differences []string) {
	c := &comparison{}
	if c.compareKeys(old, new); len(c.differences) > 0 {
		return true, c.differences
	}
	c.compareWording(old, new)
	return false, c.differences
}

type comparison struct{ differences []string }

func (c *comparison) say(format string, args ...any) {
	c.differences = append(c.differences, fmt.Sprintf(format, args...))
}

// compareKeys tells what changes the meaning of stored answers.
func (c *comparison) compareKeys(old, new Protocol) {
	if old.Key != new.Key {
		c.say("The protocol is %s, and was %s.", new.Key, old.Key)
	}
	if old.Unit.Record != new.Unit.Record {
		c.say("The unit comes from another kind of record.")
	}
	if old.Between != new.Between {
		c.say("Answering between two points is %s.", allowed(new.Between))
	}
	compareEach(c, "Part", old.Unit.Parts, new.Unit.Parts, func(p Part) (string, any) { return p.Key, p.Kind })
	compareEach(c, "Fact", old.Facts, new.Facts, func(f Fact) (string, any) {
		return f.Key, []any{f.Part, f.Role, f.AtLeast}
	})
	compareEach(c, "Field", old.Fields, new.Fields, func(f Field) (string, any) {
		return f.Key, []any{f.Scale.Values(), f.OnlyWhen}
	})
	compareEach(c, "Observation", old.Observations, new.Observations, func(o Observation) (string, any) { return o.Key, nil })
	compareEach(c, "Rule", old.Rules, new.Rules, func(r Rule) (string, any) {
		return r.ID, []any{normal(r.When), normal(r.Then)}
	})
	compareEach(c, "Verdict", old.Verdicts, new.Verdicts, func(v Verdict) (string, any) {
		return v.Key, []any{v.Any, v.None, v.All}
	})
}

func allowed(between bool) string {
	if between {
		return "allowed now"
	}
	return "no longer allowed"
}

// normal returns conds in one order, whatever order they were written in.
func normal(conds []Cond) []Cond {
	return slices.SortedFunc(slices.Values(conds), func(a, b Cond) int { return cmp.Compare(a.Key, b.Key) })
}

// compareEach tells which of a list came, went or changed; of returns an
// element's key and what makes it what it is.
func compareEach[E any](c *comparison, kind string, old, new []E, of func(E) (string, any)) {
	was, is := keyed(old, of), keyed(new, of)
	for _, key := range sortedKeys(is) {
		before, known := was[key]
		switch {
		case !known:
			c.say("%s “%s” is new.", kind, key)
		case !reflect.DeepEqual(before, is[key]):
			c.say("%s “%s” has changed.", kind, key)
		}
	}
	for _, key := range sortedKeys(was) {
		if _, kept := is[key]; !kept {
			c.say("%s “%s” is gone.", kind, key)
		}
	}
}

func keyed[E any](list []E, of func(E) (string, any)) map[string]any {
	return maps.Collect(func(yield func(string, any) bool) {
		for _, e := range list {
			if !yield(of(e)) {
				return
			}
		}
	})
}

// compareWording tells what changes only what people read, in what order, and
// what a session is like.
func (c *comparison) compareWording(old, new Protocol) {
	for _, part := range []struct {
		name     string
		old, new any
	}{
		{"title or summary", []string{old.Title, old.Summary}, []string{new.Title, new.Summary}},
		{"presentation of the unit", old.Unit, new.Unit},
		{"wording of the facts", old.Facts, new.Facts},
		{"wording or order of the fields", old.Fields, new.Fields},
		{"wording or order of the observations", old.Observations, new.Observations},
		{"wording or order of the rules", unplaced(old.Rules), unplaced(new.Rules)},
		{"hints", old.Hints, new.Hints},
		{"wording or order of the verdicts", old.Verdicts, new.Verdicts},
		{"guide", old.Guide, new.Guide},
		{"plan of a session", old.Plan, new.Plan},
	} {
		if !reflect.DeepEqual(part.old, part.new) {
			c.say("Something differs in the %s.", part.name)
		}
	}
}

// unplaced returns rules without the lines they stand on.
func unplaced(rules []Rule) []Rule {
	return each(rules, func(r Rule) Rule {
		r.When, r.Then, r.Line = normal(r.When), normal(r.Then), 0
		return r
	})
}
