package importer

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A recordNode is a value of a record of another program, with what becomes of it.
type recordNode struct {
	value
	inner     value  // what a text in JSON holds, else the value itself
	key       string // general path
	index     int    // in a list
	isContent bool   // under a key that usually holds content
	children  []*recordNode

	isClassified bool
	fate         fate
}

// A classifier finds what becomes of each value of a record of another program: texts that were
// found for the parts of items are shown, and what was found for their ids and metadata is
// stored. Messages and answers that no item shows are left out. Whatever else the record holds
// becomes metadata.
type classifier struct {
	root        *recordNode
	shown, meta map[string]int // values that were found, and how often they can be in the record
	texts       map[string]bool
	messages    map[string]int         // left out, by role
	completions int                    // left out
	leavesOut   func(path string) bool // nil: nothing
	others      map[string]int         // what the preset leaves out, by the first key of its path
	rest        map[string]*restValue
	restKeys    []string
}

// classifyRecord returns what becomes of the values of a record that was read. found has the columns of its items.
func (b *builder) classifyRecord(found [][]member, read foreignRecord) *classifier {
	s := &classifier{leavesOut: read.leavesOut, shown: map[string]int{}, meta: map[string]int{},
		texts: map[string]bool{}, messages: map[string]int{}, rest: map[string]*restValue{}, others: map[string]int{}}
	columns := mappableColumns(b.protocol.Unit)
	for _, members := range found {
		shown, meta := map[string]int{}, map[string]int{}
		_, hasChunks := findMember(members, "chunks")
		for _, m := range members {
			switch {
			case !slices.Contains(columns, m.key) || m.key == "id" || m.key == "record_id":
				countValues(meta, m.value)
			case m.key != "context_set" || !hasChunks: // the same chunks
				countValues(shown, m.value)
			}
		}
		mergeCounts(s.meta, meta, false)
		mergeCounts(s.shown, shown, b.options.Take == TakeEach)
	}
	for text := range s.shown {
		s.texts[text] = true
	}
	s.root = newRecordNode(read.source, "", 0, false)
	s.match(s.root, true)
	s.match(s.root, false)
	s.matchJoined(s.root)
	s.classifyMessages(s.root)
	if read.leavesOut != nil {
		s.leaveOthersOut(s.root)
	}
	if b.options.Preset != "" {
		s.classifyCopies(s.root, read.generalPaths(), false)
	}
	s.collect(s.root, nil)
	return s
}

// mergeCounts adds the counts of one item. Items share what they are not added up for.
func mergeCounts(all, of map[string]int, isSum bool) {
	for text, n := range of {
		if isSum {
			n += all[text]
		}
		all[text] = max(all[text], n)
	}
}

// generatedKeys are those of values that may not be in the record as they are.
var generatedKeys = []string{"role", "kind", "chunk_rank", "message"}

// countValues counts the values in a column that was found.
func countValues(counts map[string]int, v value) {
	if text := v.comparable(); text != "" || v.is('"') {
		counts[text]++
		return
	}
	for _, element := range v.list {
		countValues(counts, element)
	}
	for _, m := range v.members {
		if !slices.Contains(generatedKeys, m.key) {
			countValues(counts, m.value)
		}
	}
}

// comparable returns what makes two values the same: a text, or JSON without spaces.
func (v value) comparable() string {
	text := v.text
	if !v.is('"') && !v.is('0') {
		text = string(v.raw)
	}
	if v.is('{') || v.is('[') || strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		if raw := jsontext.Value(text); raw.Compact() == nil {
			return string(raw)
		}
	}
	return text
}

// contentKeys are the keys that usually hold what a model was asked and what it wrote.
var contentKeys = slices.Concat(messageKeys, inputKeys, outputKeys, contextKeys, completionKeys,
	[]string{"inputs", "outputs", "prompts", "data", "fields"})

// completionKeys are the keys of lists of several answers to one question.
var completionKeys = []string{"choices", "generations", "completions", "candidates"}

func isContentKey(key string) bool {
	return slices.Contains(contentKeys, key) || slices.ContainsFunc(strings.Split(key, "."), func(k string) bool {
		return slices.Contains(contentKeys, k)
	})
}

func newRecordNode(v value, key string, index int, isContent bool) *recordNode {
	n := &recordNode{value: v, inner: v.parsed(), key: key, index: index, isContent: isContent}
	for i, element := range n.inner.list {
		n.children = append(n.children, newRecordNode(element, key+"[]", i, isContent))
	}
	for _, m := range n.inner.members {
		n.children = append(n.children, newRecordNode(m.value, childKey(key, m.key), 0, isContent ||
			isContentKey(m.key)))
	}
	return n
}

// classify sets the fate of all values in n that have none.
func (n *recordNode) classify(f fate) {
	if !n.isClassified && len(n.children) == 0 {
		n.isClassified, n.fate = true, f
	}
	for _, child := range n.children {
		child.classify(f)
	}
}

// classifyWhole does the same where n was found as it is: a text in JSON is one value.
func (n *recordNode) classifyWhole(f fate) {
	if n.is('"') {
		n.children = nil
	}
	n.classify(f)
}

// has reports whether a value in n has the fate.
func (n *recordNode) has(f fate) bool {
	if len(n.children) == 0 {
		return n.isClassified && n.fate == f
	}
	return slices.ContainsFunc(n.children, func(c *recordNode) bool { return c.has(f) })
}

// isOpen reports whether no value in n has a fate.
func (n *recordNode) isOpen() bool {
	return !n.has(fateShown) && !n.has(fateMetadata) && !n.has(fateLeftOut)
}

// match classifies the values that were found, at first those under the keys of content.
func (s *classifier) match(n *recordNode, isContent bool) {
	text := n.comparable()
	switch {
	case n.isClassified || n.key == "" && n.is('{'):
	case isContent && !n.isContent:
	case len(n.children) > 0 && text == "":
	case s.shown[text] > 0:
		s.shown[text]--
		n.classifyWhole(fateShown)
		return
	case s.meta[text] > 0:
		s.meta[text]--
		n.classifyWhole(fateMetadata)
		return
	}
	for _, child := range n.children {
		s.match(child, isContent)
	}
}

// matchJoined classifies texts that are shown with others, a blank line between them.
func (s *classifier) matchJoined(n *recordNode) {
	if len(n.children) == 0 && !n.isClassified && n.isContent && n.is('"') && n.text != "" {
		for text := range s.texts {
			if strings.Contains("\n\n"+text+"\n\n", "\n\n"+n.text+"\n\n") {
				n.classify(fateShown)
				return
			}
		}
	}
	for _, child := range n.children {
		s.matchJoined(child)
	}
}

// classifyMessages classifies messages that are shown, or left out, as a whole. Those that repeat what is shown
// elsewhere
// are no messages of their own.
func (s *classifier) classifyMessages(n *recordNode) {
	isCompletions := slices.ContainsFunc(completionKeys, func(key string) bool {
		return n.key == key || strings.HasSuffix(n.key, "."+key)
	})
	hasShown := n.has(fateShown)
	isCopy := !hasShown && s.repeats(n)
	for _, child := range n.children {
		switch {
		case n.inner.is('[') && isCompletions && hasShown && !child.has(fateShown):
			s.completions++
			child.classify(fateLeftOut)
		case !child.isMessage():
			s.classifyMessages(child)
		case child.has(fateShown):
			child.classifyStructure()
		case !isCopy:
			s.messages[cmp.Or(foreignRole(unwrapMessage(child.inner)), "assistant")]++
			child.classify(fateLeftOut)
		}
	}
}

// repeats reports whether some text of n is shown.
func (s *classifier) repeats(n *recordNode) bool {
	return n.is('"') && n.text != "" && s.texts[n.text] || slices.ContainsFunc(n.children, s.repeats)
}

// isMessage reports whether n is a message inside a record.
func (n *recordNode) isMessage() bool { return n.key != "" && isMessage(n.inner) }

// classifyStructure classifies the roles and types of what a message says, and what it does not have: they
// are shown with it.
func (n *recordNode) classifyStructure() {
	for _, child := range n.children {
		name := child.key[strings.LastIndex(child.key, ".")+1:]
		isRole := slices.Contains(roleKeys, name) && (slices.Contains(turnRoles, strings.ToLower(child.text)) ||
			roleNames[strings.ToLower(child.text)] != "")
		if isRole || name == "type" && child.is('"') || child.is('n') {
			child.classify(fateShown)
		}
		if child.has(fateShown) {
			child.classifyStructure()
		}
	}
}

// A restValue is metadata that was not found, or a list of them.
type restValue struct {
	value
	elements []*restValue // nil: a value of its own
}

// isCopy reports whether n is shown elsewhere, or is a text of a message that is a piece of what is shown.
func (s *classifier) isCopy(n *recordNode) bool {
	text := n.comparable()
	if text != "" && s.texts[text] {
		return true
	}
	if len(n.children) > 0 || !n.is('"') || !slices.Contains(bodyKeys, n.key[strings.LastIndex(n.key, ".")+1:]) {
		return false
	}
	for shown := range s.texts {
		if strings.Contains(shown, text) {
			return true
		}
	}
	return false
}

// leaveOthersOut classifies what the preset leaves out.
func (s *classifier) leaveOthersOut(n *recordNode) {
	if n.key != "" && n.isOpen() && s.leavesOut(n.key) {
		name, _, _ := strings.Cut(n.key, "[]")
		s.others[name] = 1
		n.classify(fateLeftOut)
		return
	}
	for _, child := range n.children {
		s.leaveOthersOut(child)
	}
}

// classifyCopies classifies texts that are shown already and that a preset has read: programs write some twice. What
// is null in their records says nothing and is not stored.
func (s *classifier) classifyCopies(n *recordNode, read map[string]bool, isRead bool) {
	isRead = isRead || read[n.key]
	switch {
	case n.is('n'):
		n.classify(fateLeftOut)
	case isRead && n.isOpen() && s.isCopy(n):
		n.classifyWhole(fateShown)
	}
	for _, child := range n.children {
		s.classifyCopies(child, read, isRead)
	}
}

// collect makes metadata of everything that has no fate. Values in lists are in a list under the
// general path of their key, at the same place.
func (s *classifier) collect(n *recordNode, indexes []int) {
	if n.isOpen() && n.key != "" {
		if s.rest[n.key] == nil {
			s.rest[n.key] = &restValue{}
			s.restKeys = append(s.restKeys, n.key)
		}
		s.rest[n.key].at(indexes).value = n.value
		n.classify(fateMetadata)
		return
	}
	for _, child := range n.children {
		if n.inner.is('[') {
			s.collect(child, append(slices.Clone(indexes), child.index))
		} else {
			s.collect(child, indexes)
		}
	}
}

// at returns the place of indexes, in lists of lists.
func (r *restValue) at(indexes []int) *restValue {
	for _, i := range indexes {
		for len(r.elements) <= i {
			r.elements = append(r.elements, &restValue{value: value{kind: 'n', raw: []byte("null")}})
		}
		r = r.elements[i]
	}
	return r
}

func (r *restValue) toValue() value {
	if r.elements == nil {
		return r.value
	}
	list := make([]value, len(r.elements))
	for i, element := range r.elements {
		list[i] = element.toValue()
	}
	return listValue(list)
}

// members returns the metadata of what was not found, under keys that neither others nor columns of items have.
func (s *classifier) members(others []member, columns []string) (members []member) {
	for _, key := range s.restKeys {
		name := key
		for i := 2; ; i++ {
			if _, isTaken := findMember(others, name); !isTaken && !slices.Contains(columns, name) {
				break
			}
			name = key + "_" + formatCount(i)
		}
		members = append(members, member{name, s.rest[key].toValue()})
	}
	return members
}

// addToLedger adds the values of a record, and what it names as left out. Of a record without an item
// nothing is stored.
func (b *builder) addToLedger(s *classifier, hasItems bool) {
	ledger := b.options.ledger()
	fates := s.root.fates(nil)
	if !hasItems {
		for i := range fates {
			fates[i].fate = fateLeftOut
		}
	}
	ledger.add(fates)
	for _, role := range slices.Sorted(maps.Keys(s.messages)) {
		ledger.leaveOut(omittedMessages, role, s.messages[role])
	}
	for _, key := range slices.Sorted(maps.Keys(s.others)) {
		ledger.leaveOut(omittedKey, key, s.others[key])
	}
	ledger.leaveOut(omittedAnswers, "", s.completions)
}

// fates returns the fate of each value.
func (n *recordNode) fates(all []keyFate) []keyFate {
	if len(n.children) == 0 {
		return append(all, keyFate{n.key, n.fate})
	}
	for _, child := range n.children {
		all = child.fates(all)
	}
	return all
}
