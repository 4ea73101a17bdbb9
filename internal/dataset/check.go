package dataset

import (
	"fmt"
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A Check is what an export found about its own labels.
type Check struct {
	Name   string `json:"check"`
	Passed bool   `json:"passed"`
	Detail string `json:"detail"` // a sentence
}

// The names of checks.
const (
	CheckRules      = "rules"
	CheckBlocks     = "identical_blocks"
	CheckCopies     = "identical_annotators"
	CheckDuplicates = "missing_duplicates"
	CheckOverlap    = "unequal_overlap"
	CheckBlindness  = "not_blind"
)

// An Omission is what an export leaves out, and why.
type Omission struct {
	What  string `json:"what"`
	Why   string `json:"why"`
	Count *int   `json:"count"` // null: not counted, because the number itself is private or unknown
}

// minBlock is the number of items in a row with the same answers in all fields that counts as
// a block. Fewer happen by chance where most items deserve the same answers.
const minBlock = 20

// A blockFinder finds annotators who gave the same answers to many items in a row.
type blockFinder struct {
	byAnnotator map[string]*answerRun
}

// An answerRun is the current run of equal answers of an annotator, and the longest one.
type answerRun struct {
	previous map[string]int
	length   int
	longest  int
	changed  bool // other answers exist, too
}

// add takes the next annotation, in the order of submission.
func (f *blockFinder) add(a Annotation) {
	if !a.Current {
		return
	}
	if f.byAnnotator == nil {
		f.byAnnotator = map[string]*answerRun{}
	}
	run := f.byAnnotator[a.Annotator]
	if run == nil {
		run = &answerRun{}
		f.byAnnotator[a.Annotator] = run
	}
	if run.previous != nil && !maps.Equal(run.previous, a.Answers.Values) {
		run.length, run.changed = 0, true
	}
	run.length++
	run.previous, run.longest = a.Answers.Values, max(run.longest, run.length)
}

// check reports the annotators with blocks. In a protocol with one field, equal answers in a
// row say little.
func (f *blockFinder) check(p protocol.Protocol) Check {
	c := Check{Name: CheckBlocks, Passed: true, Detail: fmt.Sprintf(
		"No annotator gave the same answers to %d items in a row.", minBlock)}
	if len(p.Fields) < 2 {
		c.Detail = "Not checked: the protocol has one field, so that equal answers in a row are expected."
		return c
	}
	var found []string
	for _, name := range slices.Sorted(maps.Keys(f.byAnnotator)) {
		if run := f.byAnnotator[name]; run.longest >= minBlock {
			found = append(found, fmt.Sprintf("%s (%s)", name, pluralize(run.longest, "item")))
		}
	}
	if len(found) > 0 {
		c.Passed = false
		c.Detail = fmt.Sprintf("The same answers in all fields for %d or more items in a row: %s. Read some of these items.", minBlock, joinList(found))
	}
	return c
}

// ruleCheck reports annotations that break rules of the protocol.
func ruleCheck(files []ManifestFile) Check {
	checked, violations := 0, 0
	for _, f := range files {
		checked += f.Annotations
		violations += f.RuleViolations
	}
	if violations > 0 {
		return Check{CheckRules, false, fmt.Sprintf(
			"%s of %s break a rule of the protocol: see the column broken_rules.", formatCount(violations),
			pluralize(checked, "annotation"))}
	}
	return Check{CheckRules, true, "No annotation breaks a rule of the protocol."}
}

// A RuleCount is the number of annotations that break a rule.
type RuleCount struct {
	Rule       string `json:"rule"`
	Message    string `json:"message"`
	Violations int    `json:"violations"`
}

// auditRules counts for each rule of p, and for each other problem, the annotations that
// break it.
func auditRules(p protocol.Protocol, files []ManifestFile) []RuleCount {
	counts := map[string]int{}
	for _, f := range files {
		for id, n := range f.brokenRules {
			counts[id] += n
		}
	}
	rules := make([]RuleCount, 0, len(p.Rules))
	for _, rule := range p.Rules {
		rules = append(rules, RuleCount{rule.ID, rule.Message, counts[rule.ID]})
		delete(counts, rule.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(counts)) {
		rules = append(rules, RuleCount{id, "A check of the answers themselves.", counts[id]})
	}
	return rules
}

// FailedChecks returns the checks that found something.
func (m Manifest) FailedChecks() (failed []Check) {
	for _, c := range m.Checks {
		if !c.Passed {
			failed = append(failed, c)
		}
	}
	return failed
}

// joinList returns up to ten entries as a list, and how many more there are.
func joinList(entries []string) string {
	const most = 10
	text := ""
	for i, entry := range entries {
		if i == most {
			return fmt.Sprintf("%s and %d more", text, len(entries)-most)
		}
		if i > 0 {
			text += ", "
		}
		text += entry
	}
	return text
}
